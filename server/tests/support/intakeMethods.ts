/** Sends to `POST /api/v3/logs` both ways the service reads it: before Node.js's server, and through it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

const path = '/api/v3/logs';

type SentLogs = { headers: Record<string, string>; body: string | Buffer };

type HeardAnswer = { status: number | undefined; all: IncomingMessage['headers']; body: string };

/** Sends on one kept-alive connection and returns the responses, without what differs each time. */
async function send(url: string, paths: readonly string[], { headers, body }: SentLogs) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: HeardAnswer[] = [];
  for (const to of paths) {
    const length = { 'content-length': Buffer.byteLength(body) };
    const sent = request(`${url}${to}`, { agent, method: 'POST', headers: { ...headers, ...length } });
    sent.end(body);
    // This event carries the response.
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const all = { ...response.headers };
    assert.match(String(all['x-request-id']), /^[0-9A-Za-z]{20}$/);
    for (const name of ['x-request-id', 'date']) delete all[name];
    answers.push({ status: response.statusCode, all, body: await text(response) });
  }
  agent.destroy();
  return answers;
}

/** Sends only by the direct path. */
export async function sendPlainly(url: string, sent: SentLogs): Promise<HeardAnswer> {
  const [answer] = await send(url, [path], sent);
  assert.ok(answer);
  return answer;
}

/** Drops the Connection header: whether a refusal arrives before the body ends depends on how the client splits it. */
function forgetConnection(answer: HeardAnswer | undefined) {
  return { ...answer, all: { ...answer?.all, connection: '', 'keep-alive': '' } };
}

/** Sends both ways and returns the response they share. */
export async function sendEveryWay(url: string, sent: SentLogs): Promise<HeardAnswer> {
  const shortest = await sendPlainly(url, sent);
  // An empty query takes this request, and the rest of its connection, off the fast path.
  const [routed, short] = await send(url, [`${path}?`, path], sent);
  assert.deepEqual(shortest, routed);
  assert.deepEqual(forgetConnection(short), forgetConnection(routed));
  return shortest;
}
