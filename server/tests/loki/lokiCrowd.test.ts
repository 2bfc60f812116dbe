/** Many long queries of one project: another project's query does not wait behind them all. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, owner } = await openLoki(service);
const crowd = 200;

/** Sends all but the end of a request. The returned function sends the end and waits for the response. */
async function begin(caller: string, query: string): Promise<() => Promise<void>> {
  const body = new URLSearchParams({ query }).toString();
  const sending = request(`${service.url}/loki/api/v1/format_query`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: caller,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.length,
    },
  });
  await new Promise(resolve => sending.write(body.slice(0, -1), resolve));
  return async () => {
    sending.end(body.slice(-1));
    const [answer] = await once(sending, 'response');
    answer.resume();
    assert.equal(answer.statusCode, 200);
    await once(answer, 'end');
  };
}

test('projects take turns with long queries', async () => {
  const project = await addProject(owner, 'neighbour');
  const neighbour = await addToken(owner, { kind: 'logs', project });
  const long = `{a="b"} | ${Array.from({ length: 900 }, (_, index) => `a${index}="b"`).join(' or ')}`;
  const finish = await Promise.all(Array.from({ length: crowd }, () => begin(token, long)));
  const finishNeighbour = await begin(neighbour.token, long);
  await (await begin(neighbour.token, '{a="b"}'))(); // by then the others have arrived too
  let answered = 0;
  const all = finish.map(async each => {
    await each();
    answered++;
  });
  await finishNeighbour();
  const before = answered;
  await Promise.all(all);
  assert.ok(before < crowd / 2, `${before} of ${crowd} came first`); // first come, first served would give all of them
});
