/**
 * Fast HTTP and Node.js's server alone treat the same bytes alike: status, headers, body, and what follows on the connection. `TALKS=100000`
 * tries more, and `SEED` others.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { filePath, logsToken, type OddTalk, oddTalk } from '../support/malformedRequests.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { makePicture, mediaEnvironment, pathOf, uploadFile } from '../support/uploading.ts';

const numRuns = Number(process.env.TALKS ?? 1000);
const seed = Number(process.env.SEED ?? 20_261_124);
const talksAtOnce = 8;
const silenceMsMax = 30_000; // responses take milliseconds, but much longer on a busy machine

type FrontEnd = { service: TestService; at: string };

const picture = await makePicture();
const [fast, native] = await Promise.all(['true', 'false'].map(start));

async function start(fastHttp: string): Promise<FrontEnd> {
  const service = await startTestService({
    environment: { ...mediaEnvironment, TAPEDECK_LOGS_TOKEN: logsToken, TAPEDECK_FAST_HTTP: fastHttp },
  });
  after(() => service[Symbol.asyncDispose]());
  const { url } = await uploadFile(service, picture);
  return { service, at: pathOf(url) };
}

/** Reads all responses until the connection ends, without what differs each time. */
async function receive({ service, at }: FrontEnd, { bytes, pieces }: OddTalk): Promise<string[]> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const received: Buffer[] = [];
  let isSilent = false;
  socket.on('data', part => received.push(Buffer.from(part))).on('error', () => undefined);
  socket.setTimeout(silenceMsMax, () => {
    isSilent = true;
    socket.destroy();
  });
  // A reset also ends the connection; everything before it has been read.
  const closed = new Promise(resolve => socket.once('close', resolve));
  await once(socket, 'connect');
  const sent = Buffer.from(bytes.replaceAll(filePath, at), 'latin1');
  let position = 0;
  for (const piece of pieces) {
    socket.write(sent.subarray(position, position + piece));
    position += piece;
    await turn();
    await turn();
  }
  socket.write(sent.subarray(position));
  await closed;
  assert.ok(!isSilent, `the connection ends: ${JSON.stringify(bytes)}`);
  return readAnswers(Buffer.concat(received).toString('latin1'), at);
}

const volatile = /^(?:date|etag|last-modified):/;

function readAnswers(text: string, at: string): string[] {
  const boundaries = /(?<=^--|boundary=)\d{20}/gm;
  const answers = text
    .replaceAll(at, filePath)
    .replace(boundaries, 'any')
    .split(/(?=HTTP\/1\.1 \d{3} )/);
  return answers.map(answer => {
    const headEnd = answer.indexOf('\r\n\r\n');
    const [status = '', ...lines] = answer.slice(0, headEnd).split('\r\n');
    const headers = lines
      .map(line => line.replace(/^[^:]+/, name => name.toLowerCase()))
      .filter(line => !volatile.test(line))
      .map(line => line.replace(/^x-request-id: [0-9A-Za-z]{20}$/, 'x-request-id: any'));
    return [status, ...headers.toSorted(), '', answer.slice(headEnd + 4)].join('\n');
  });
}

/**
 * Node.js's server alone may respond while it still reads a body; fast HTTP makes it respond after reading all that came in one piece
 * (DECISIONS.md of fast-http). So a refusal closes the connection in only one case, or a request with a broken body gets a response. Nothing
 * else may differ.
 */
function isSame(answers: readonly string[], others: readonly string[]): boolean {
  const at = answers.findIndex((answer, index) => answer !== others[index]);
  if (at < 0) return answers.length === others.length;
  const [one = '', other = ''] = [answers[at], others[at]];
  if (withoutEnd(one) === withoutEnd(other)) return refused.test(one);
  const [rest, otherRest] = [answers.slice(at), others.slice(at)];
  return isAnsweredBeforeBreak(rest, otherRest) || isAnsweredBeforeBreak(otherRest, rest);
}

/** The request's body breaks: one server had responded by then and closes the connection, or the other response follows. */
function isAnsweredBeforeBreak([answer = '', next]: readonly string[], others: readonly string[]): boolean {
  if (others.length !== 1 || !broken.test(others[0]!)) return false;
  return next === undefined
    ? refused.test(answer) && /^connection: close$/m.test(answer)
    : next === others[0];
}

const refused = /^HTTP\/1\.1 4/;
const broken = /"(?:bad_request|transfer_coding_unsupported)"\}$/;

function withoutEnd(answer: string): string {
  return answer.replace(/^connection: .*\n/m, '').replace(/^keep-alive: .*\n/m, '');
}

async function compare(talk: OddTalk): Promise<void> {
  const [one, other] = await Promise.all([receive(fast!, talk), receive(native!, talk)]);
  if (!isSame(one, other)) assert.deepEqual(one, other);
}

test('random connections', async () => {
  const each = Math.ceil(numRuns / talksAtOnce);
  const runs = Array.from({ length: talksAtOnce }, (_, index) =>
    fc.assert(fc.asyncProperty(oddTalk, compare), { numRuns: each, seed: seed + index }),
  );
  const ended = await Promise.allSettled(runs); // so that no run continues after the services have stopped
  for (const run of ended) if (run.status === 'rejected') throw run.reason;
});

const smuggled = `GET ${filePath} HTTP/1.1\r\nHost: a\r\n\r\n`;
const posted = (headers: string, body: string) =>
  `POST /api/v3/logs HTTP/1.1\r\nHost: a\r\nAuthorization: ${logsToken}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
const question = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

describe('request smuggling', () => {
  const rows: Record<string, string> = {
    'Content-Length and chunks': posted(
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      `0\r\n\r\n${smuggled}`,
    ),
    'chunks and Content-Length': posted(
      'Transfer-Encoding: chunked\r\nContent-Length: 5',
      `0\r\n\r\n${smuggled}`,
    ),
    'two lengths': posted(`Content-Length: 2\r\nContent-Length: ${smuggled.length}`, `[]${smuggled}`),
    'a list of lengths': posted(`Content-Length: 2, ${smuggled.length}`, `[]${smuggled}`),
    'a length with a sign': posted('Content-Length: +2', `[]${smuggled}`),
    'a length in octal digits': posted('Content-Length: 010', `[]${smuggled}`),
    'a space before the colon': posted('Content-Length : 2', `[]${smuggled}`),
    'a folded Transfer-Encoding': posted('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${smuggled}`),
    'a length in a folded header': posted('X-A: b\r\n Content-Length: 2', `[]${smuggled}`),
    'a bare line feed': posted('X-A: b\nContent-Length: 2', `[]${smuggled}`),
    'a bare carriage return': posted('X-A: b\rContent-Length: 2', `[]${smuggled}`),
    'a line feed in a chunk extension': posted('Transfer-Encoding: chunked', `0;a\n\r\n\r\n${smuggled}`),
    'a length in a trailer': posted(
      'Transfer-Encoding: chunked',
      `0\r\nContent-Length: 99\r\n\r\n${smuggled}`,
    ),
    'GET with a body': `GET ${filePath} HTTP/1.1\r\nHost: a\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    'GET with a length of 0': `GET ${filePath} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n${smuggled}`,
    'HTTP/1.0 with chunks': `GET ${filePath} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    'another host in the target': `GET http://b${filePath} HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`,
    'a rejected body': `GET /api/v3/logs HTTP/1.1\r\nHost: a\r\nContent-Length: 36\r\n\r\n${smuggled}`,
    'a malformed body': `GET ${filePath} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!${smuggled}`,
  };
  for (const [name, sent] of Object.entries(rows)) {
    it(name, () => compare({ bytes: sent + question, pieces: [] }));
    it(`${name}, after a plain request`, () => compare({ bytes: smuggled + sent + question, pieces: [20] }));
    // The fast reader takes no bytes behind a request that it recognises, so they come later.
    for (const behindHead of [0, 2, 5]) {
      const pieces = [sent.indexOf('\r\n\r\n') + 4 + behindHead];
      it(`${name}, split ${behindHead} bytes after the head`, () =>
        compare({ bytes: sent + question, pieces }));
    }
  }
});
