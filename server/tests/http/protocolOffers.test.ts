/**
 * Requests that offer another protocol, or announce a different use of the connection, with and without a body, followed by anything. The
 * service answers each as plain HTTP or closes its connection, and keeps answering others.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Part, talk } from '../support/rawHttp.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

const answerMsMax = 20_000; // a response takes milliseconds, but much longer on a busy machine

/** Services run in separate processes, so that a hanging one does not block the test. */
const directories = await Promise.all(['true', 'false'].map(() => makeDirectory()));
const services = await Promise.all(
  ['true', 'false'].map(async (fastHttp, index) => ({
    fastHttp,
    process: await startProcess({
      TAPEDECK_DATA_DIR: directories[index]!.path,
      TAPEDECK_FAST_HTTP: fastHttp,
    }),
  })),
);
after(async () => {
  for (const { process } of services) await process[Symbol.asyncDispose]();
  for (const directory of directories) await directory[Symbol.asyncDispose]();
});

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT'];
const versions = ['1.0', '1.1'];
const offers: Readonly<Record<string, readonly string[]>> = {
  'no offer': [],
  'no offer, closing': ['Connection: close'],
  h2c: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
  websocket: ['Connection: keep-alive, Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  'h2c in lower case': ['upgrade: h2c', 'connection: upgrade'],
  'several protocols': ['Upgrade: h2c, websocket', 'Connection: upgrade, upgrade'],
  'an offer, closing': ['Connection: upgrade, close', 'Upgrade: h2c'],
  'an offer in two headers, closing': ['Connection: upgrade', 'Upgrade: h2c', 'Connection: close'],
  'an offer with Expect': ['Connection: upgrade', 'Upgrade: h2c', 'Expect: 100-continue'],
  'an offer through a proxy': ['Proxy-Connection: upgrade', 'Upgrade: h2c'],
  'Upgrade alone': ['Upgrade: h2c'],
  'Connection alone': ['Connection: upgrade'],
};
const bodies: Readonly<Record<string, readonly [lines: readonly string[], bytes: string]>> = {
  'no body': [[], ''],
  'an empty body': [['Content-Length: 0'], ''],
  'a body': [['Content-Type: application/json', 'Content-Length: 2'], '{}'],
  'a body in chunks': [
    ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
    '2\r\n{}\r\n0\r\n\r\n',
  ],
};
const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const offered = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n';
/** `closing` ends with a request that closes the connection, whichever server reads it. */
const trailing: Readonly<Record<string, { sent: Part[]; isClosing?: true }>> = {
  nothing: { sent: [] },
  'one request': { sent: [last], isClosing: true },
  'two requests': { sent: [health, last], isClosing: true },
  'another offer': { sent: [offered, last], isClosing: true },
  'a request without Host': { sent: ['GET / HTTP/1.1\r\n\r\n', last], isClosing: true },
  'no HTTP': { sent: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'] },
  'half a request': { sent: ['GET /healthz HTT'] },
};

function* listShapes(method: string, version: string, offer: readonly string[]) {
  for (const [bodyName, [lines, bytes]] of Object.entries(bodies)) {
    for (const [trailingName, { sent, isClosing = false }] of Object.entries(trailing)) {
      const head = [`${method} /healthz HTTP/${version}`, 'Host: x', ...offer, ...lines, '', bytes];
      const parts = [head.join('\r\n'), ...sent];
      const name = `${bodyName}, then ${trailingName}`;
      yield { name, parts, isClosing, asksForHead: method === 'HEAD' };
    }
  }
}

for (const { fastHttp, process } of services) {
  describe(`with fast HTTP ${fastHttp}`, () => {
    for (const method of methods) {
      for (const version of versions) {
        for (const [title, offer] of Object.entries(offers)) {
          it(`${method} of HTTP/${version} with ${title}`, async () => {
            const shapes = [...listShapes(method, version, offer)];
            await Promise.all(shapes.map(shape => tryShape(process.url, shape)));
            const { status } = await fetch(`${process.url}/healthz`, {
              signal: AbortSignal.timeout(answerMsMax),
            });
            assert.equal(status, 200);
          });
        }
      }
    }
  });
}

type Shape = { name: string; parts: readonly Part[]; isClosing: boolean; asksForHead: boolean };

/** Sends everything in one piece. The request behind may be answered, or the connection closed. */
async function tryShape(url: string, { name, parts, isClosing, asksForHead }: Shape): Promise<void> {
  const options = { timeMsMax: answerMsMax, asksForHead, ...(!isClosing && { answersMax: 1 }) };
  const { answers, end } = await talk(url, [parts.join('')], options);
  assert.ok(answers.length > 0, `${name}: no response, ${end}`);
  if (isClosing) assert.notEqual(end, 'open', `${name}: left open after ${answers.length} responses`);
  for (const { status } of answers) assert.ok(status >= 200 && status < 500, `${name}: ${status}`);
}
