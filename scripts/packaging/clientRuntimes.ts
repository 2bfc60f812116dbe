/** Tests the packed client in Node.js, Bun and Deno, with a service that is killed and restarted. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, it } from 'node:test';
import type { KilledService } from '../../server/tests/clients/killedService.ts';
import { makeSound } from '../../server/tests/support/uploading.ts';
import { installRuntimes } from '../clients/installedClients.ts';

/** `folder` has the client installed. */
type Place = { folder: string; mediaToken: string; open(): KilledService };

/** The last output of `outlive` in `clientProgram.mjs`. */
type Outlived = {
  written: number;
  told: (number | string)[];
  isStored: boolean;
  isFileSame: boolean;
  isFloodStored: boolean;
  flooded: { queued: number; stored: number; dropped: number };
  growthBytes: number;
};

const runtimes = ['node', 'bun', 'deno'] as const;
type Runtime = (typeof runtimes)[number];

const sources = [
  'a path',
  'a file: URL',
  'a Blob',
  'a File',
  'bytes',
  'a stream of the web',
  'a stream of Node.js',
  'an async iterable',
  'base64',
  'a large path',
];
const spooledEntries = 1200;
const floodEntries = 100_000; // 100 MB
const growthBytesMax = 96 * 1024 * 1024; // Bun grows by 56 MB, the others by less
const soundSeconds = 1500; // 12 MB, uploaded in pieces

type Start = (runtime: Runtime, work: string) => ChildProcess;

export function testRuntimes(place: Place): void {
  const { folder, mediaToken, open } = place;
  const commands: Record<Runtime, readonly string[]> = { node: ['node'], bun: [], deno: [] };

  const started: ChildProcess[] = [];
  after(() => started.forEach(child => void child.kill())); // left by a failed test
  before(async () => {
    const { bun, deno } = await installRuntimes();
    commands.bun = [bun];
    commands.deno = [deno, 'run', '--allow-all', '--node-modules-dir=manual'];
    copyFileSync(join(import.meta.dirname, 'clientProgram.mjs'), join(folder, 'clientProgram.mjs'));
    writeFileSync(join(folder, 'large.wav'), makeSound({ seconds: soundSeconds }));
  });

  const start: Start = (runtime, work) => {
    const { wiretap, token } = open();
    const settings = {
      work,
      url: wiretap.url,
      logsToken: token,
      mediaToken,
      name: runtime,
      small: 'pictures/files.png',
      large: 'large.wav',
      spool: `spool-${runtime}`,
    };
    const [command = '', ...flags] = commands[runtime];
    const words = [...flags, 'clientProgram.mjs', JSON.stringify(settings)];
    const child = spawn(command, words, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    started.push(child);
    return child;
  };

  for (const runtime of runtimes) {
    testUploads(runtime, start);
    testSpool(runtime, start, place);
  }
  testKills(start, place);
}

function testUploads(runtime: Runtime, start: Start): void {
  it(`uploads from every source in ${runtime}`, async () => {
    assert.deepEqual(JSON.parse(await converse(start(runtime, 'upload')).hear()), {
      ...Object.fromEntries(sources.map(source => [source, true])),
      'an abort': 'AbortError 20',
      'no media': 'TapedeckError 415 unsupported_media',
      'no file': 'TapedeckError 0 source_unreadable',
    });
  });
}

function testSpool(runtime: Runtime, start: Start, { folder, open }: Place): void {
  it(`sends once what a killed program left in its spool, in ${runtime}`, async () => {
    const filling = start(runtime, 'fillSpool');
    assert.equal(await converse(filling).hear(), 'written');
    filling.kill('SIGKILL');
    await once(filling, 'exit');
    assert.equal(await converse(start(runtime, 'emptySpool')).hear(), 'true');
    const entries = await open().read(`${runtime}-spool`, spooledEntries);
    assert.deepEqual(bodiesOf(entries), numberEntries(spooledEntries));
    const left = readdirSync(join(folder, `spool-${runtime}`), { recursive: true, withFileTypes: true });
    assert.ok(left.every(each => each.isDirectory()));
  });
}

function testKills(start: Start, place: Place): void {
  it('loses and doubles nothing when the service is killed, in little memory', async context => {
    const programs = runtimes.map(runtime => ({ runtime, program: converse(start(runtime, 'outlive')) }));
    const hearAll = async (answer: RegExp) => {
      for (const { program } of programs) assert.match(await program.hear(), answer);
    };
    const describeOutages = (word: string) => {
      for (const { program } of programs) program.tell(word);
    };
    await hearAll(/^under way$/);
    await place.open().kill();
    describeOutages('killed');
    await hearAll(/^flooded$/);
    await place.open().start();
    describeOutages('started');
    for (const { runtime, program } of programs) {
      const outlived: Outlived = JSON.parse(await program.hear());
      assert.equal(await program.end(), 0);
      context.diagnostic(`${runtime}: grew by ${outlived.growthBytes >> 20} MB`);
      await requireStored(place, runtime, outlived);
    }
  });
}

async function requireStored(
  { mediaToken, open }: Place,
  runtime: Runtime,
  { written, told: acknowledged, flooded, growthBytes, ...are }: Outlived,
): Promise<void> {
  assert.deepEqual(are, { isStored: true, isFileSame: true, isFloodStored: true }, runtime);
  assert.deepEqual(acknowledged, [...Array(written).keys()], `${runtime}: each entry is told once, in order`);
  const entries = await open().read(runtime, written + 1);
  assert.deepEqual(bodiesOf(entries), [...numberEntries(written), 'last words'], runtime);
  assert.equal(flooded.stored + flooded.dropped, floodEntries);
  const stored = await open().read(`${runtime}-flood`, flooded.stored + 1);
  const notices = stored.filter(({ level }) => level === 'warn');
  const told = notices.reduce((sum, { metadata }) => sum + Number(metadata['tapedeck.dropped']), 0);
  assert.equal(told, flooded.dropped, `${runtime}: each drop is told once`);
  assert.equal(stored.length, flooded.stored + notices.length, runtime);
  assert.ok(growthBytes < growthBytesMax, `${runtime} grew by ${growthBytes} bytes`);
  const query = `${open().wiretap.url}/api/v3/file?path=${runtime}/outlived`;
  const response = await fetch(query, { headers: { authorization: mediaToken } });
  const { pagination } = (await response.json()) as { pagination: { total: number } }; // CONTRACT.md, 3
  assert.equal(pagination.total, 1, runtime);
}

function bodiesOf(entries: readonly { body: string }[]): string[] {
  return entries.map(({ body }) => body);
}

function numberEntries(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `entry ${index}`);
}

/** Sends lines to a program and reads lines from it. */
function converse(child: ChildProcess) {
  const { stdin, stdout } = child;
  assert.ok(stdin && stdout);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  return {
    tell: (word: string) => void stdin.write(`${word}\n`),
    hear: async () => String((await lines.next()).value),
    end: async () => {
      stdin.end();
      const [exitCode] = await ended;
      return exitCode;
    },
  };
}
