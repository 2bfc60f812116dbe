/**
 * Pipelined requests, cut at random places: each gets its response in order, whichever server reads the connection at that moment. Some clients
 * read only after sending everything, and some disconnect. `PIPELINES=10000` tries more pipelines, in a minute or two, and `SEED` repeats a run.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createRandom, type Random } from '@tapedeck/log-store/testing';
import { compose } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import { makeSound, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

const pipelines = Number(process.env.PIPELINES ?? 500);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const connectionsAtOnce = 8;
const requestsMax = 8;
const piecesMax = 5;
const turnsMax = 4;
const silenceMsMax = 30_000; // responses take milliseconds, but much longer on a busy machine

const logsToken = 'a-logs-token-of-thirty-two-chars';
const service = await startTestService({
  environment: { TAPEDECK_MEDIA_TOKEN: mediaToken, TAPEDECK_LOGS_TOKEN: logsToken },
});
after(() => service[Symbol.asyncDispose]());

/** `body` is null if none follows the head, and undefined if any will do. `last` ends the connection. */
type ExpectedRequest = { title: string; sent: string; status: number; body?: Buffer | null; last?: true };

const small = await upload(1);
const large = await upload(12); // the largest size served from memory
const larger = await upload(40);
const shapes: readonly ExpectedRequest[] = [...(await listReadings()), ...listOthers()];

const crowds = ['large file', 'log entries in chunks', 'health with an upgrade offer'];
const crowding = shapes.filter(({ title }) => crowds.includes(title));

async function upload(seconds: number) {
  const bytes = makeSound({ seconds, tone: 17 * seconds });
  const { url } = await uploadFile(service, bytes);
  const at = pathOf(url);
  const { headers } = await service.fetch(at, { method: 'HEAD' });
  await (await service.fetch(at)).arrayBuffer();
  return { at, bytes, etag: headers.get('etag')! };
}

async function listReadings(): Promise<ExpectedRequest[]> {
  const files = Object.entries({ small, large, larger });
  return files.flatMap(([title, { at, bytes, etag }]) => [
    { title: `${title} file`, sent: compose(`GET ${at}`), status: 200, body: bytes },
    { title: `head of a ${title} file`, sent: compose(`HEAD ${at}`), status: 200, body: null },
    {
      title: `${title} file in memory`,
      sent: compose(`GET ${at}`, { 'If-None-Match': etag }),
      status: 304,
      body: null,
    },
    {
      title: `part of a ${title} file`,
      sent: compose(`GET ${at}`, { Range: 'bytes=100-7000' }),
      status: 206,
      body: bytes.subarray(100, 7001),
    },
    { title: `${title} file through the router`, sent: compose(`GET ${at}?x=1`), status: 200, body: bytes },
  ]);
}

function listOthers(): ExpectedRequest[] {
  const body = JSON.stringify([{ level: 'info', message: 'x'.repeat(3_000) }]);
  const much = JSON.stringify([{ level: 'info', message: 'y'.repeat(50_000) }]);
  const usual = { Authorization: logsToken, 'Content-Type': 'application/json' };
  const h2c = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABk' };
  const sized = { ...usual, 'Content-Length': body.length };
  const chunked = { ...usual, 'Transfer-Encoding': 'chunked' };
  const chunks = `400\r\n${body.slice(0, 1024)}\r\n${(body.length - 1024).toString(16)}\r\n${body.slice(1024)}\r\n0\r\n\r\n`;
  const line = 'POST /api/v3/logs';
  return [
    { title: 'log entries', sent: compose(line, sized, body), status: 200 },
    {
      title: 'many log entries',
      sent: compose(line, { ...usual, 'Content-Length': much.length }, much),
      status: 200,
    },
    { title: 'log entries in chunks', sent: compose(line, chunked, chunks), status: 200 },
    {
      title: 'log entries with Expect',
      sent: compose(line, { ...sized, Expect: '100-continue' }, body),
      status: 200,
    },
    {
      title: 'log entries with an upgrade offer',
      sent: compose(line, { ...sized, ...h2c }, body),
      status: 200,
      last: true,
    },
    { title: 'health with an upgrade offer', sent: compose('GET /healthz', h2c), status: 200 },
    { title: 'preflight', sent: compose('OPTIONS /api/v3/logs'), status: 204, body: null },
    { title: 'nothing', sent: compose('GET /media/default/nothing.png'), status: 404 },
    { title: 'health after an empty line', sent: `\r\n${compose('GET /healthz')}`, status: 200 },
  ];
}

test(`${pipelines} pipelines get complete responses in order (SEED=${seed})`, async () => {
  let begun = 0;
  const work = async () => {
    while (begun < pipelines) {
      begun += 1;
      await tryPipeline(createRandom(seed + begun), `SEED=${seed + begun - 1} PIPELINES=1`);
    }
  };
  await Promise.all(Array.from({ length: connectionsAtOnce }, work));
  assert.deepEqual(service.logged, []);
});

async function tryPipeline(random: Random, repeat: string): Promise<void> {
  const expected = Array.from({ length: 2 + pick(random, requestsMax - 1) }, () => choose(random));
  const all = Buffer.from(expected.map(({ sent }) => sent).join(''), 'latin1');
  const cuts = Array.from({ length: pick(random, piecesMax) }, () => pick(random, all.length));
  cuts.sort((one, other) => one - other);
  const leaves = random() < 0.1;
  const readsLast = random() < 0.5;
  const story = `${repeat}: ${expected.map(({ title }) => title).join(', ')}; ${all.length} bytes cut at ${cuts.join(', ')}`;
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.setTimeout(silenceMsMax, () => socket.destroy(new Error('no more data')));
  const reading = leaves || readsLast ? null : assert.doesNotReject(readResponses(socket, expected), story);
  for (const [index, start] of [0, ...cuts].entries()) {
    socket.write(all.subarray(start, cuts[index] ?? all.length));
    for (let turns = pick(random, turnsMax); turns > 0; turns -= 1) await turn();
  }
  if (!leaves) await (reading ?? assert.doesNotReject(readResponses(socket, expected), story));
  socket.destroy();
}

/** Half of the choices wait for a disk, fill the memory for queued responses, or make Node.js's parser stop. */
function choose(random: Random): ExpectedRequest {
  const among = random() < 0.5 ? crowding : shapes;
  return among[pick(random, among.length)]!;
}

function pick(random: Random, count: number): number {
  return Math.floor(random() * count);
}

/** Resolves when all requests have the expected responses. */
async function readResponses(socket: Socket, expected: readonly ExpectedRequest[]): Promise<void> {
  const end = expected.findIndex(({ last }) => last === true);
  const waiting = end < 0 ? [...expected] : expected.slice(0, end + 1);
  let pieces: Buffer[] = [];
  let bytes = 0;
  let wanted = 0;
  for await (const piece of socket) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < wanted) continue;
    let rest = Buffer.concat(pieces);
    for (let next = takeAnswer(rest, waiting[0]); next !== null; next = takeAnswer(rest, waiting[0])) {
      if (next.isWhole) waiting.shift();
      rest = rest.subarray(next.end);
      if (waiting.length === 0) {
        assert.equal(rest.length, 0, 'more responses than requests');
        return;
      }
    }
    pieces = [rest];
    bytes = rest.length;
    wanted = 0;
  }
  assert.fail(`the connection ended before ${waiting.map(({ title }) => title).join(', ')}`);
}

/** Returns null until the response is complete. */
function takeAnswer(
  bytes: Buffer,
  expected: ExpectedRequest | undefined,
): { end: number; isWhole: boolean } | null {
  const headEnd = bytes.indexOf('\r\n\r\n') + 4;
  if (headEnd < 4 || expected === undefined) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(9, 12));
  if (status === 100) return { end: headEnd, isWhole: false };
  const length = expected.body === null ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  const end = headEnd + length;
  if (bytes.length < end) return null;
  const body = bytes.subarray(headEnd, end);
  assert.equal(status, expected.status, `${expected.title}: ${head}${body.toString('latin1', 0, 200)}`);
  if (expected.body) assert.ok(body.equals(expected.body), expected.title);
  return { end, isWhole: true };
}
