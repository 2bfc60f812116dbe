/** Resumable uploads when the service crashes or stops: acknowledged bytes survive. Large uploads need little memory. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openUploadSocket } from '../support/openUpload.ts';
import { resultOf, speakTus, type TusClient } from '../support/resuming.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { makeSound, mediaEnvironment } from '../support/uploading.ts';

const mebibyte = 1024 * 1024;
const keptBytes = 16 * mebibyte; // the service syncs to disk each time this much has arrived
const rssGrowthBytesMax = 120 * mebibyte; // buffers of a hundred connections, and garbage that is collected later
const sound = Buffer.concat([makeSound(), randomBytes(24 * mebibyte)]);

const directory = await makeDirectory();
const environment = {
  ...mediaEnvironment,
  TAPEDECK_DATA_DIR: directory.path,
  TAPEDECK_FILE_SIZE_MAX: '4GiB',
  TAPEDECK_FAST_HTTP: process.env.TAPEDECK_FAST_HTTP,
};
let service: ServiceProcess;
let tus: TusClient;

async function start(): Promise<void> {
  service = await startProcess(environment);
  tus = speakTus({ url: service.url, fetch: (path, init) => fetch(service.url + path, init) });
}
before(start);
after(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function requireBytes(url: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  const read = await fetch(service.url + new URL(url).pathname);
  for await (const chunk of read.body!) hash.update(chunk);
  assert.equal(hash.digest('hex'), sha256);
}

const sumOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function goOn(at: string, offset: number): Promise<void> {
  const last = await tus.append(at, offset, sound.subarray(offset));
  await requireBytes((await resultOf(last)).url, sumOf(sound));
}

/** Begins an upload and waits until that many bytes are kept while its request continues. */
async function beginAndKeep(): Promise<string> {
  const at = await tus.begin(sound.length);
  const socket = await openUploadSocket(service, { at, offset: 0, announced: sound.length });
  socket.write(sound.subarray(0, keptBytes + 3 * mebibyte));
  while ((await tus.look(at)) < keptBytes) await wait(20);
  return at;
}

test('a killed service has the bytes that it confirmed, and continues at once', async () => {
  const at = await beginAndKeep();
  service.child.kill('SIGKILL');
  await service.exit;
  await start();
  const offset = await tus.look(at);
  assert.ok(offset >= keptBytes, `${offset} bytes are kept`);
  await goOn(at, offset);
});

test('a stopped service keeps all received bytes', async () => {
  const at = await beginAndKeep();
  service.child.kill('SIGTERM');
  const { exitCode } = await service.exit;
  assert.equal(exitCode, 0);
  await start();
  assert.equal(await tus.look(at), keptBytes + 3 * mebibyte);
  await goOn(at, keptBytes + 3 * mebibyte);
});

async function readResidentBytes(): Promise<number> {
  const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

test('two hundred megabytes take no more memory than two', async () => {
  const block = randomBytes(mebibyte);
  const head = makeSound();
  const lengthBytes = head.length + 200 * mebibyte;
  const at = await tus.begin(lengthBytes);
  const before = await readResidentBytes();
  const hash = createHash('sha256').update(head);
  const socket = await openUploadSocket(service, { at, offset: 0, announced: lengthBytes });
  const answered = once(socket, 'data');
  socket.write(head);
  let most = 0;
  for (let count = 0; count < 200; count++) {
    const bytes = Buffer.from(block);
    bytes.writeUInt32LE(count);
    hash.update(bytes);
    if (!socket.write(bytes)) await once(socket, 'drain');
    if (count % 10 === 0) most = Math.max(most, await readResidentBytes());
  }
  assert.match(String((await answered)[0]), /^HTTP\/1.1 204 /);
  socket.destroy();
  assert.ok(most - before < rssGrowthBytesMax, `${Math.round((most - before) / mebibyte)} MiB more`);
  const last = await tus.append(at, lengthBytes, Buffer.alloc(0));
  await requireBytes((await resultOf(last)).url, hash.digest('hex'));
});
