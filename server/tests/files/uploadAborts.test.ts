/** Uploads whose client disconnects at any byte and in any way: stored whole or not at all, with nothing else left. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { compose } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import {
  listTraces,
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readUploaded,
  readUsage,
} from '../support/uploading.ts';

const settledMsMax = 30_000; // some milliseconds on an idle machine
const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const picture = await makePicture();
const atOnce = 40;

/** Ways to disconnect: orderly or abruptly. */
const farewells: readonly ((socket: Socket) => void)[] = [
  socket => socket.destroy(),
  socket => socket.resetAndDestroy(),
  socket => socket.end(),
];

const boundary = 'b';
const composeForm = (content: Uint8Array) =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="path"\r\n\r\np\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`,
    ),
    content,
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"a":1}\r\n--${boundary}--\r\n`,
    ),
  ]);
const formType = `multipart/form-data; boundary=${boundary}`;
const base64 = picture.toString('base64');
const bodies: readonly [string, string, string, Buffer][] = [
  ['a form', '/api/v3/file', formType, composeForm(picture)],
  ['JSON', '/api/v3/file/base64', 'application/json', Buffer.from(JSON.stringify({ path: 'p', base64 }))],
  ['text', '/api/v3/file?path=p', 'text/plain', Buffer.from(`data:image/png;base64,${base64}`)],
];

type Breaking = { route: string; type: string; body: Buffer; at: number; isChunked?: boolean };

/** Sends the first bytes of the body and disconnects. */
async function breakOff({ route, type, body, at, isChunked = false }: Breaking): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = new Promise(resolve => socket.once('close', resolve));
  socket.on('error', () => undefined).resume();
  const headers = {
    Authorization: mediaToken,
    'Content-Type': type,
    Connection: 'close',
    ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': body.length }),
  };
  const sent = body.subarray(0, at);
  const chunk = at > 0 ? Buffer.concat([Buffer.from(`${at.toString(16)}\r\n`), sent]) : sent;
  const bytes = Buffer.concat([Buffer.from(compose(`POST ${route}`, headers)), isChunked ? chunk : sent]);
  socket.write(bytes, () => farewells[at % farewells.length]!(socket));
  await closed;
}

/** Polls, since the service notices after a moment. */
async function requireTraces(expected: { files: number; blobs: number }): Promise<void> {
  const deadline = performance.now() + settledMsMax;
  for (;;) {
    const { blobs, staging, open } = await listTraces(service);
    const { files } = await readUsage(service);
    const now = { files, blobs: blobs.length, staging: staging.length, open: open.length };
    try {
      assert.deepEqual(now, { ...expected, staging: 0, open: 0 });
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await wait(10);
  }
}

/** A failed request is the client's problem; an entry here would be a bug of ours. */
afterEach(() => {
  assert.deepEqual(
    service.logged.filter(line => /"level":[56]0/.test(line)),
    [],
  );
});

async function breakOffAt(places: readonly number[], rest: Omit<Breaking, 'at'>): Promise<void> {
  for (let index = 0; index < places.length; index += atOnce)
    await Promise.all(places.slice(index, index + atOnce).map(at => breakOff({ ...rest, at })));
}

describe('an aborted upload leaves nothing behind', () => {
  for (const [name, route, type, body] of bodies) {
    for (const isChunked of [false, true]) {
      test(`at every byte of ${name}${isChunked ? ' in chunks' : ''}`, async () => {
        const places = Array.from({ length: body.length }, (_, at) => at);
        await breakOffAt(places, { route, type, body, isChunked });
        await requireTraces({ files: 0, blobs: 0 });
      });
    }
  }

  test('at many offsets of a large form', async () => {
    const body = composeForm(Buffer.concat([picture, randomBytes(3_000_000)]));
    const places = Array.from({ length: 60 }, (_, index) => Math.floor(((index + 0.5) * body.length) / 60));
    await breakOffAt(places, { route: '/api/v3/file', type: formType, body });
    await requireTraces({ files: 0, blobs: 0 });
  });

  test('of a presigned URL, whose only use is returned', async () => {
    const response = await service.fetch('/api/v3/file/presigned-url', {
      headers: { authorization: mediaToken },
    });
    const { data } = (await response.json()) as { data: { presignedUrl: string } };
    const route = pathOf(data.presignedUrl);
    const body = composeForm(picture);
    for (let at = 1; at < body.length; at += 7) await breakOff({ route, type: formType, body, at });
    await requireTraces({ files: 0, blobs: 0 });
    const headers = { 'content-type': formType };
    const send = () => service.fetch(route, { method: 'POST', headers, body: new Uint8Array(body) });
    let sent = await send();
    const deadline = performance.now() + settledMsMax;
    while (sent.status === 409 && performance.now() < deadline) sent = await send();
    const { id } = await readUploaded(sent);
    const removed = { method: 'DELETE', headers: { authorization: mediaToken } };
    assert.equal((await service.fetch(`/api/v3/file/${id}`, removed)).status, 200);
    await requireTraces({ files: 0, blobs: 0 });
  });
});

test('disconnecting right after the last byte stores the file whole, or not at all', async () => {
  const body = composeForm(picture);
  await Promise.all(
    Array.from({ length: 60 }, () =>
      breakOff({ route: '/api/v3/file', type: formType, body, at: body.length }),
    ),
  );
  const listed: { url: string }[] = [];
  const deadline = performance.now() + settledMsMax;
  let counts: number[] = [];
  // A complete upload is still being stored after its client has gone.
  while (new Set(counts).size !== 1 && performance.now() < deadline) {
    const response = await service.fetch('/api/v3/file?limit=100', {
      headers: { authorization: mediaToken },
    });
    const { data } = (await response.json()) as { data: { url: string }[] };
    listed.splice(0, listed.length, ...data);
    const { blobs, staging } = await listTraces(service);
    const { files } = await readUsage(service);
    counts = [data.length, blobs.length, files, files - staging.length];
  }
  await requireTraces({ files: listed.length, blobs: listed.length });
  for (const { url } of listed) {
    const response = await service.fetch(pathOf(url));
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(picture));
  }
});
