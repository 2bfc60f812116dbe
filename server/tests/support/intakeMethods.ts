/** The ways by which `POST /api/v3/logs` is read: before Node.js's server, and by it, beside another path of the same route. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

const path = '/api/v3/logs';

type SentLogs = { headers: Record<string, string>; body: string | Buffer };

type HeardAnswer = { status: number | undefined; all: IncomingMessage['headers']; body: string };

/** One connection, kept alive, and all that is said on it but for what is different each time. */
async function send(url: string, paths: readonly string[], { headers, body }: SentLogs) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: HeardAnswer[] = [];
  for (const to of paths) {
    const length = { 'content-length': Buffer.byteLength(body) };
    const sent = request(`${url}${to}`, { agent, method: 'POST', headers: { ...headers, ...length } });
    sent.end(body);
    // The event of a request brings its answer.
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const all = { ...response.headers };
    assert.match(String(all['x-request-id']), /^[0-9A-Za-z]{20}$/);
    for (const name of ['x-request-id', 'date']) delete all[name];
    answers.push({ status: response.statusCode, all, body: await text(response) });
  }
  agent.destroy();
  return answers;
}

/** Sends by the direct path only. */
export async function sendPlainly(url: string, sent: SentLogs): Promise<HeardAnswer> {
  const [answer] = await send(url, [path], sent);
  assert.ok(answer);
  return answer;
}

/** Whether a refusal comes before the end of the body, and so ends the connection, depends on how the client cuts it. */
function forgetConnection(answer: HeardAnswer | undefined) {
  return { ...answer, all: { ...answer?.all, connection: '', 'keep-alive': '' } };
}

/** The response that all of them share. */
export async function sendEveryWay(url: string, sent: SentLogs): Promise<HeardAnswer> {
  const shortest = await sendPlainly(url, sent);
  // An empty query keeps a request, and the connection after it, off the shortest way.
  const [routed, short] = await send(url, [`${path}?`, path], sent);
  assert.deepEqual(shortest, routed);
  assert.deepEqual(forgetConnection(short), forgetConnection(routed));
  return shortest;
}
