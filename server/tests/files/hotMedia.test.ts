/** Frequently read files are served before Node.js's server sees the request: with the route's response, and only while that is allowed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import { addPerson } from '../support/people.ts';
import { compose, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import {
  formOf,
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readUploaded,
  sendForm,
  uploadRoute,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const picture = await makePicture(90, 60);
const upload = async (filename: string) => {
  const { id, url } = await readUploaded(await sendForm(service, formOf(picture, { filename })));
  return { id, at: pathOf(url) };
};
const { at } = await upload('Ärger & "mehr".png');
const head = await service.fetch(at, { method: 'HEAD' });
const etag = head.headers.get('etag')!;
const modified = head.headers.get('last-modified')!;

type RequestOptions = { method: string; headers: Record<string, string> };

/** Sends on one kept-alive connection and returns the responses, without what differs each time. */
async function fetchAll(paths: readonly string[], { method, headers }: RequestOptions, url = service.url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers = [];
  for (const path of paths) {
    const sent = request(`${url}${path}`, { agent, method, headers }).end();
    // This event carries the response.
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const all = { ...response.headers };
    assert.match(String(all['x-request-id']), /^[0-9A-Za-z]{20}$/);
    for (const name of ['x-request-id', 'date']) delete all[name];
    answers.push({ status: response.statusCode, all, body: (await buffer(response)).toString('base64') });
  }
  agent.destroy();
  return answers;
}

const rows: [Record<string, string>, number][] = [
  [{}, 200],
  [{ 'if-none-match': etag }, 304],
  [{ 'if-modified-since': modified }, 304],
  [{ 'if-none-match': '"other"' }, 200],
  [{ 'if-match': '"other"' }, 412],
  [{ range: 'bytes=5-9' }, 206],
  [{ range: 'bytes=-7' }, 206],
  [{ range: `bytes=${picture.length}-` }, 416],
  [{ range: 'bytes=5-9', 'if-range': etag }, 206],
  [{ range: 'bytes=5-9', 'if-range': '"other"' }, 200],
  [{ connection: 'close' }, 200],
];
describe('the fast path and the slow path send the same response', () => {
  for (const method of ['GET', 'HEAD']) {
    for (const [headers, status] of rows) {
      // Ranges apply to GET only.
      const expected = method === 'HEAD' && 'range' in headers ? 200 : status;
      test(`${method} ${JSON.stringify(headers)}: ${expected}`, async () => {
        await (await service.fetch(at)).arrayBuffer(); // loads the file into memory
        const [shortest] = await fetchAll([at], { method, headers });
        // A meaningless query takes this request, and the rest of its connection, off the fast path.
        const [routed, short] = await fetchAll([`${at}?x=1`, at], { method, headers });
        assert.deepEqual(shortest, routed);
        assert.deepEqual(short, routed);
        assert.equal(shortest?.status, expected);
      });
    }
  }
});

test('returns the request id of the client', async () => {
  await (await service.fetch(at)).arrayBuffer();
  const response = await service.fetch(at, { headers: { 'x-request-id': 'mine-1' } });
  assert.equal(response.headers.get('x-request-id'), 'mine-1');
});

test('both paths reject malformed requests', async () => {
  await (await service.fetch(at)).arrayBuffer();
  const twice = await talk(service.url, [`GET ${at} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`], {});
  assert.equal(twice.answers[0]?.status, 400);
  const none = await talk(service.url, [`GET ${at} HTTP/1.1\r\n\r\n`], {});
  assert.equal(none.answers[0]?.status, 400);
  const broken = await talk(service.url, [compose('GET /media/default/%zz', { Connection: 'close' })], {});
  assert.equal(broken.answers[0]?.status, 400);
});

test('answers pipelined requests on one connection in order', async () => {
  await (await service.fetch(at)).arrayBuffer();
  const requests = [
    compose(`GET ${at}`, {}),
    compose(`GET ${at}?x=1`, {}),
    compose(`GET ${at}`, { 'If-None-Match': etag }),
    compose('GET /media/default/nothing.png', {}),
  ];
  const { answers } = await talk(service.url, [requests.join('')], { answersMax: 4 });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 304, 404],
  );
});

test('a connection can request anything after media, and media after that', async () => {
  const paths = [at, at, '/healthz', at, '/media/default/nothing.png', at];
  const answers = await fetchAll(paths, { method: 'GET', headers: {} });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 404, 200],
  );
});

test('the fast path also reads an uncached file, once for all concurrent requests', async () => {
  const { at: cold } = await upload('cold.png');
  const all = await Promise.all(
    Array.from({ length: 20 }, () => fetchAll([cold], { method: 'GET', headers: {} })),
  );
  for (const [answer] of all) assert.equal(answer?.body, picture.toString('base64'));
});

test('a client that half-closes after the request still gets the file, from disk and from memory', async () => {
  const { at: cold } = await upload('half.png');
  for (let round = 0; round < 2; round += 1) {
    const socket = connect({ port: Number(new URL(service.url).port), allowHalfOpen: true });
    socket.end(compose(`GET ${cold}`));
    assert.match(await text(socket), /^HTTP\/1\.1 200 /);
  }
});

test('a stop closes connections that served media', async () => {
  const other = await startTestService({ environment: mediaEnvironment });
  const { url } = await readUploaded(await sendForm(other, formOf(picture)));
  const agent = new Agent({ keepAlive: true });
  // As above.
  const [response] = (await once(request(`${other.url}${pathOf(url)}`, { agent }).end(), 'response')) as [
    IncomingMessage,
  ];
  await buffer(response);
  const startedAt = performance.now();
  await other[Symbol.asyncDispose]();
  assert.ok(performance.now() - startedAt < 5_000);
  agent.destroy();
});

test('a deleted file is gone at once, however often it was read', async () => {
  const { id, at: deleted } = await upload('gone.png');
  for (let round = 0; round < 3; round += 1) assert.equal((await service.fetch(deleted)).status, 200);
  const headers = { authorization: mediaToken };
  await service.fetch(`${uploadRoute}/${id}`, { method: 'DELETE', headers });
  assert.equal((await service.fetch(deleted)).status, 404);
});

test("the project's own domain serves the same, counted as the same route", async () => {
  const changes = { cdnDomain: 'short.example.org', cdnEnabled: true };
  await owner.call(updateProject, { params: { project: 'default' }, body: changes });
  const short = at.slice('/media'.length);
  for (let round = 0; round < 2; round += 1) {
    const single = compose(`GET ${short}`, { Host: 'short.example.org', Connection: 'close' });
    const { answers } = await talk(service.url, [single], {});
    assert.deepEqual([answers[0]?.status, answers[0]?.headers.etag], [200, etag]);
  }
  const metrics = await (await service.fetch('/metrics')).text();
  const counted =
    /tapedeck_http_requests_total\{method="GET",route="\/media\/:project\/\*",status="200"\} (\d+)/;
  assert.ok(Number(counted.exec(metrics)?.[1]) > 10, metrics.slice(0, 200));
});
