/**
 * Downloads many small files as one ZIP: measures the time and the additional memory of the service. Deletes the last file of each archive while it
 * is sent. `unzip` reads the result, and its manifest is compared with the files.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Bench, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { composeFixture } from './filesFixture.ts';
import { type BenchService, startBenchService } from './processes.ts';

const count = 100_000;
const bytes = Buffer.alloc(100, 'tape'); // the size in the records; archives do not check the contents
const linksEach = 10_000; // per file on disk; ext4 allows 65,000
const folder = 'folder7'; // every twentieth file

export const archives: Bench = {
  name: 'archives',
  about: `${count} small files as one ZIP, and a twentieth of them: time, and the peak of memory`,
  run: async () => {
    await using service = await startBenchService({ TAPEDECK_MEDIA_TOKEN: token }, null);
    await fill(service);
    await (await ask(service, '/file?query=name:*99999*')).json(); // reads the index, like any search
    const rows: string[][] = [];
    // The first run warms up what both need.
    for (const [query, files] of [
      [`path=${folder}`, count / 20],
      [`path=${folder}`, count / 20 - 1],
      ['', count - 2],
    ] as const)
      rows.push(await measure(service, query, files));
    printTable(['files', 'ZIP in MB', 'seconds', 'MB before', 'peak MB', 'told as missing'], rows.slice(1));
  },
};

/** Writes records by SQL, and the files as hard links, which take no space. */
async function fill({ dataDir }: BenchService): Promise<void> {
  using database = new DatabaseSync(path.join(dataDir, 'tapedeck.db'), { timeout: 30_000 });
  for (const statement of composeFixture(count)) database.exec(statement);
  database.exec(`UPDATE files SET sha256 = '${hash('sha256', bytes)}'`);
  const day = path.join(dataDir, 'media/files/default/2023-11-14'); // the fixture's day
  await mkdir(day, { recursive: true });
  const rows = database.prepare('SELECT id FROM files ORDER BY position').all();
  let original = '';
  for (const [index, { id }] of rows.entries()) {
    const place = path.join(day, `${id}.png`);
    if (index % linksEach > 0) await link(original, place);
    else {
      await writeFile(place, bytes);
      original = place;
    }
  }
}

async function measure(service: BenchService, query: string, files: number): Promise<string[]> {
  const before = await readMemory(service, 'VmRSS');
  await writeFile(`/proc/${service.pid}/clear_refs`, '5'); // resets the peak
  const beganAt = performance.now();
  const response = await ask(service, `/file/archive?${query}`);
  assert.equal(response.status, 200);
  assert.ok(response.body);
  const last = await findLast(service, query);
  const deleted = await fetch(`http://127.0.0.1:${service.port}/api/v3/file/${last}`, {
    method: 'DELETE',
    headers: { authorization: token },
  });
  assert.equal(deleted.status, 200);
  const place = path.join(service.dataDir, 'archive.zip');
  // Two type declarations of the same stream.
  await pipeline(
    Readable.fromWeb(response.body as import('node:stream/web').ReadableStream),
    createWriteStream(place),
  );
  const seconds = (performance.now() - beganAt) / 1000;
  const peak = await readMemory(service, 'VmHWM');
  const missing = checkArchive(place, { files, last });
  const { size } = await stat(place);
  await rm(place);
  return [
    String(files),
    (size / 1e6).toFixed(1),
    seconds.toFixed(1),
    before.toFixed(0),
    peak.toFixed(0),
    String(missing),
  ];
}

async function findLast(service: BenchService, query: string): Promise<string> {
  const response = await ask(service, `/file?${query}&sort=createdAt&order=asc&limit=1`);
  // A page, per the contract.
  const { data } = (await response.json()) as { data: [{ id: string }] };
  return data[0].id;
}

/** Returns how many files the manifest lists as missing: the one deleted meanwhile. */
function checkArchive(place: string, { files, last }: { files: number; last: string }): number {
  assert.match(execFileSync('unzip', ['-tqq', place], { encoding: 'utf8' }), /^$/);
  const text = execFileSync('unzip', ['-p', place, 'manifest.json'], { encoding: 'utf8', maxBuffer: 1e9 });
  // The manifest's format.
  const manifest = JSON.parse(text) as {
    files: { status: string; path: string | null; record: { id: string } }[];
  };
  const missing = manifest.files.filter(({ status }) => status !== 'complete');
  assert.equal(manifest.files.length, files);
  assert.equal(new Set(manifest.files.map(({ path: name }) => name)).size, files);
  assert.deepEqual(
    missing.map(({ status, record }) => [status, record.id]),
    [['missing', last]],
  );
  return missing.length;
}

/** In megabytes. */
async function readMemory({ pid }: BenchService, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}
