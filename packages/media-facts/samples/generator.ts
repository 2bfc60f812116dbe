/** Makes media samples with ffmpeg for tests. One process makes several, because starting it costs the most. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A file name, whose extension picks the container, and the ffmpeg arguments of this output. */
export type SampleRecipe = { readonly file: string; readonly make: string };

const runFile = promisify(execFile);
/** One second of picture (input 0) and one of sound (input 1). */
const inputs = [
  '-f lavfi -i testsrc2=size=64x48:rate=10:duration=1',
  '-f lavfi -i sine=frequency=440:sample_rate=44100:duration=1',
];
const outputsPerProcess = 12;
const processesAtOnce = 2; // a small machine has this many cores
const makeTimeMsMax = 60_000;

function splitWords(text: string): string[] {
  return text.split(' ').filter(word => word !== '');
}

async function runEncoder(directory: string, recipes: readonly SampleRecipe[]): Promise<void> {
  const outputs = recipes.flatMap(({ file, make }) => [...splitWords(make), join(directory, file)]);
  const words = ['-nostdin', '-v', 'error', '-y', ...inputs.flatMap(splitWords), ...outputs];
  await runFile('ffmpeg', words, { timeout: makeTimeMsMax });
}

/** Returns the bytes of every sample by file name. Leaves nothing on disk. */
export async function makeSamples(recipes: readonly SampleRecipe[]): Promise<Map<string, Buffer>> {
  const directory = await mkdtemp(join(tmpdir(), 'tapedeck-samples-'));
  try {
    const groups: SampleRecipe[][] = [];
    for (let start = 0; start < recipes.length; start += outputsPerProcess) {
      groups.push(recipes.slice(start, start + outputsPerProcess));
    }
    const workers = Array.from({ length: processesAtOnce }, async () => {
      for (let group = groups.shift(); group; group = groups.shift()) await runEncoder(directory, group);
    });
    await Promise.all(workers);
    const samples = new Map<string, Buffer>();
    for (const { file } of recipes) samples.set(file, await readFile(join(directory, file)));
    return samples;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
