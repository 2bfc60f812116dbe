/** Tests that time and memory limits end a decoder's process, whatever it does. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { listPosterCommands } from './commands.ts';
import { collectPicture } from './decodedPicture.ts';
import { type DecodingLimits, findDecoders } from './decoders.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'tapedeck-decoders-'));
after(() => rmSync(directory, { recursive: true }));
const file = path.join(directory, 'clip.mp4');
const source = ['-f', 'lavfi', '-i', 'testsrc=size=1920x1080:rate=30:duration=12'];
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
assert.equal(spawnSync('ffmpeg', ['-v', 'error', '-y', ...source, ...codec, file]).status, 0);

const decoders = await findDecoders();
const usual: DecodingLimits = { timeMs: 60_000, processorSeconds: 30 };
const [show] = listPosterCommands({ demuxer: 'mov', durationSeconds: 12 });
assert.ok(show);
/** Decodes all pictures, then writes one. */
const decodeAll = (input: string) => [
  '-f',
  'mov',
  '-i',
  input,
  '-vf',
  'reverse,reverse',
  '-f',
  'image2pipe',
  '-c:v',
  'png',
];

/** Lists the running decoders of this process. */
function listRunning(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(id => {
      try {
        const isOurs =
          readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid);
        return isOurs && /ffmpeg|decoder/.test(readFileSync(`/proc/${id}/cmdline`, 'utf8'));
      } catch {
        return false; // it has just ended
      }
    });
}

for (const decoder of decoders)
  describe(`the ${decoder.name} decoder`, () => {
    test('makes a picture within the usual limits', async () => {
      const picture = await decoder.decode({ file, command: show, limits: usual, collect: collectPicture });
      assert.equal(picture?.toString('latin1', 1, 4), 'PNG');
    });

    const rows: readonly [string, Partial<DecodingLimits>, (input: string) => string[]][] = [
      ['time', { timeMs: 300 }, decodeAll],
      ['processor time', { processorSeconds: 1 }, decodeAll],
      ['memory', { memoryMiB: 300 }, decodeAll],
    ];
    for (const [what, limits, command] of rows)
      test(`stops when its ${what} is used up`, async () => {
        const startedAt = performance.now();
        const decoding = { file, command, limits: { ...usual, ...limits }, collect: collectPicture };
        assert.equal(await decoder.decode(decoding), null);
        assert.ok(
          performance.now() - startedAt < usual.timeMs,
          'its own limit stopped it, not the usual one',
        );
        assert.deepEqual(listRunning(), []);
      });

    test('stops when its reader closes', async () => {
      const collect = async (output: AsyncIterable<Buffer>) => {
        for await (const _ of output) break;
        return null;
      };
      const command = (input: string) => ['-f', 'mov', '-i', input, '-f', 'rawvideo', '-pix_fmt', 'rgb24'];
      assert.equal(await decoder.decode({ file, command, limits: usual, collect }), null);
      assert.deepEqual(listRunning(), []);
    });
  });

test('both are tested where the system has FFmpeg', () => {
  assert.deepEqual(
    decoders.map(({ name }) => name),
    ['system', 'shipped'],
  );
});
