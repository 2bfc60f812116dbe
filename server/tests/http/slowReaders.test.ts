/** Slow or stalled readers: each costs one buffer, holds up no other client, and leaves no descriptor. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';
import {
  formOf,
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readUploaded,
} from '../support/uploading.ts';

const readersCount = 200;
const mebibyte = 1024 * 1024;
const growthBytesMax = readersCount * mebibyte; // a reader has a buffer or two in flight; the file is 32 MiB

await using opened = new AsyncDisposableStack();
const directory = opened.use(await makeDirectory());
const service = opened.use(await startProcess({ ...mediaEnvironment, TAPEDECK_DATA_DIR: directory.path }));
const cleanUp = opened.move();
after(() => cleanUp.disposeAsync());

const picture = await makePicture();
const bytes = Buffer.concat([picture, Buffer.alloc(32 * mebibyte - picture.length, 7)]);
const uploaded = await readUploaded(
  await fetch(`${service.url}/api/v3/file`, {
    method: 'POST',
    headers: { authorization: mediaToken },
    body: formOf(bytes),
  }),
);
const path = pathOf(uploaded.url);

/** Returns the memory of the service's process. */
async function measureMemory(): Promise<number> {
  const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024;
}

async function countOpenMedia(): Promise<number> {
  const folder = `/proc/${service.child.pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map(name => readlink(`${folder}/${name}`).catch(() => '')),
  );
  return targets.filter(target => target.includes('/media/')).length;
}

/** Requests the whole file, receives the first bytes, and reads no further. */
async function startReading(): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

async function readToTheEnd(socket: Socket): Promise<number> {
  let length = 0;
  for await (const chunk of socket) length += chunk.length;
  return length;
}

describe(`${readersCount} readers of 32 MiB that stop after the first bytes`, () => {
  const readers: Socket[] = [];

  it('use little memory, and block nobody', async () => {
    await (await fetch(`${service.url}${path}`)).arrayBuffer();
    const before = await measureMemory();
    for (let batch = 0; batch < readersCount; batch += 50)
      readers.push(...(await Promise.all(Array.from({ length: 50 }, startReading))));
    const startedAt = performance.now();
    const read = await fetch(`${service.url}${path}`);
    assert.equal((await read.arrayBuffer()).byteLength, bytes.length);
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    assert.ok(performance.now() - startedAt < 5_000);
    const growth = (await measureMemory()) - before;
    assert.ok(growth < growthBytesMax, `${Math.round(growth / mebibyte)} MiB more`);
  });

  it('get everything when they resume', async () => {
    const lengths = await Promise.all(readers.splice(0, 5).map(readToTheEnd));
    for (const length of lengths) assert.ok(length > bytes.length, String(length)); // the count includes headers
  });

  it('leave no open descriptor when they disconnect', async () => {
    assert.ok((await countOpenMedia()) >= readers.length);
    for (const socket of readers) socket.destroy();
    const deadline = performance.now() + 5_000;
    while ((await countOpenMedia()) > 0 && performance.now() < deadline) await wait(20);
    assert.equal(await countOpenMedia(), 0);
  });
});
