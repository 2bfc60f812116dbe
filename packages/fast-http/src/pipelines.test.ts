/**
 * Tests pipelined requests, cut at random places, against a fast path and the server behind it: each gets its own response, in order.
 * `PIPELINES=10000` runs more of them, and `SEED` repeats a run.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { serveFast } from './fastConnections.ts';
import type { PlainAnswer } from './simpleMessages.ts';

const pipelines = Number(process.env.PIPELINES ?? 200);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));

const large = 'x'.repeat(100_000); // two of them fill the response buffer of Node.js's server

function answerWith(body: string): PlainAnswer {
  return { status: 200, head: `content-length: ${body.length}\r\n`, body: Buffer.from(body) };
}

/** The number of answers from the fast path. */
let fromFastPath = 0;
const server = createServer(async (request, response) => {
  const body = (await buffer(request)).length;
  if (request.url?.startsWith('/later')) await turn();
  response.end(`server ${request.url} ${body} ${request.url?.endsWith('large') ? large : ''}`);
});
serveFast(server, {
  fastPath: {
    answer: ({ url }) => {
      if (url.startsWith('/server')) return null;
      if (url === '/large') return answerWith(`fast ${large}`);
      if (url === '/passed-on-late') return turn(null);
      return url.startsWith('/later') ? turn(answerWith('fast later')) : answerWith('fast');
    },
    admit: ({ url, bodyBytes }) =>
      url === '/server'
        ? null
        : { holder: 'somebody', take: async () => answerWith(`fast took ${bodyBytes}`) },
  },
  headersMsMax: 60_000,
  headersBytesMax: 16_384,
  bodyBytesMax: 4_096,
  openAccount: () => ({ add: () => true, release: () => undefined }),
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close().closeAllConnections());
const { port } = server.address() as AddressInfo; // the server listens on a port, not on a socket's path

/** A request, and the answer of each path. */
type Asked = { sent: string; byFastPath: string | null; byServer: string };

const compose = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const offer = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
const gets = [
  ['/', 'fast'],
  ['/later', 'fast later'],
  ['/large', `fast ${large}`],
  ['/passed-on-late', null],
  ['/server', null],
  ['/server/large', null],
] as const;
const shapes: Asked[] = [
  ...gets.map(([url, answer]) => ({
    sent: compose(`GET ${url}`),
    byFastPath: answer,
    byServer: `server ${url} 0 ${url.endsWith('large') ? large : ''}`,
  })),
  ...[3, 4_096, 4_097].flatMap(length =>
    ['/', '/server'].map(url => ({
      sent: compose(`POST ${url}`, `Content-Length: ${length}\r\n`) + 'b'.repeat(length),
      byFastPath: `fast took ${length}`,
      byServer: `server ${url} ${length} `,
    })),
  ),
  { sent: compose('GET /offered', offer), byFastPath: null, byServer: 'server /offered 0 ' },
  {
    sent: `${compose('POST /chunked', 'Transfer-Encoding: chunked\r\n')}2\r\nbb\r\n0\r\n\r\n`,
    byFastPath: null,
    byServer: 'server /chunked 2 ',
  },
];

const last: Asked = {
  sent: compose('GET /server', 'Connection: close\r\n'),
  byFastPath: null,
  byServer: 'server /server 0 ',
};

test(`answers ${pipelines} pipelines in full and in order (SEED=${seed})`, async () => {
  const asked = fc.array(fc.constantFrom(...shapes), { maxLength: 4 });
  const cuts = fc.array(fc.record({ at: fc.nat(100_000), turns: fc.nat(3) }), { maxLength: 5 });
  const pipeline = fc.record({ inTurn: asked, atOnce: asked, cuts });
  const property = fc.asyncProperty(pipeline, async ({ inTurn, atOnce, cuts }) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    const heard = { text: '' };
    socket.on('data', text => {
      heard.text += text;
    });
    for (const [index, { sent }] of inTurn.entries()) {
      socket.write(sent);
      while (readBodies(heard.text).length <= index) await once(socket, 'data');
    }
    const closed = once(socket, 'close');
    await sendInPieces(socket, [...atOnce, last].map(({ sent }) => sent).join(''), cuts);
    await closed;
    judge(readBodies(heard.text), [...inTurn, ...atOnce, last]);
  });
  await fc.assert(property, { numRuns: pipelines, seed });
  assert.ok(fromFastPath > pipelines / 4, `only ${fromFastPath} answers came by the fast path`);
});

type Cut = { at: number; turns: number };

async function sendInPieces(socket: Socket, sent: string, cuts: readonly Cut[]): Promise<void> {
  let start = 0;
  const sorted = cuts.map(({ at, turns }) => ({ at: at % sent.length, turns })).sort((a, b) => a.at - b.at);
  for (const { at, turns } of sorted) {
    socket.write(sent.slice(start, at));
    start = at;
    for (let count = turns; count > 0; count -= 1) await turn();
  }
  socket.write(sent.slice(start));
}

/** The fast path answers the first requests. Once the server answers one, it answers all that follow. */
function judge(bodies: readonly string[], asked: readonly Asked[]): void {
  assert.equal(bodies.length, asked.length);
  let isHandedOver = false;
  for (const [index, { byFastPath, byServer }] of asked.entries()) {
    const body = bodies[index]!;
    isHandedOver ||= body.startsWith('server');
    if (!isHandedOver) fromFastPath += 1;
    assert.equal(body, isHandedOver ? byServer : byFastPath);
  }
}

/** Reads the bodies of responses that arrived complete. */
function readBodies(all: string): string[] {
  const bodies: string[] = [];
  for (let at = 0; ; ) {
    const headEnd = all.indexOf('\r\n\r\n', at) + 4;
    if (headEnd < 4) return bodies;
    const head = all.slice(at, headEnd);
    assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
    at = headEnd + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (all.length < at) return bodies;
    bodies.push(all.slice(headEnd, at));
  }
}
