/** Three nodes on one PostgreSQL: a token's limit holds across all of them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { reportSession } from '@tapedeck/contract/sdk';
import { describeToken } from '@tapedeck/contract/tokens';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { makeStoppedClock, startTestService, type TestService } from '../support/service.ts';

const most = 100;
const tolerance = 0.1; // CONTRACT.md, 13.1

const postgres = await startPostgres();
const environment = {
  TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
  TAPEDECK_SECRET: 's'.repeat(40),
  TAPEDECK_RATE_LIMIT: String(most),
};
const clock = makeStoppedClock(); // the clock stands still, so a minute lasts as long as the test needs
const nodes: TestService[] = [];
for (let count = 0; count < 3; count += 1) nodes.push(await startTestService({ environment, clock }));
after(async () => {
  for (const opened of [...nodes, postgres]) await opened[Symbol.asyncDispose]();
});
const owner = await addPerson(nodes[0]!, { isOwner: true });

type Sending = { nodes: readonly TestService[]; tokens: readonly string[]; count: number; atOnce: number };

/** Returns how many requests are let in when `atOnce` at a time go to all nodes in turn. */
async function countLetIn({ nodes: sent, tokens, count, atOnce }: Sending): Promise<number> {
  let [next, letIn] = [0, 0];
  const worker = async () => {
    while (next < count) {
      const index = next++;
      const response = await withToken(sent[index % sent.length]!, tokens[index % tokens.length]!).send(
        describeToken,
      );
      assert.ok([200, 429].includes(response.status), String(response.status));
      if (response.status === 200) letIn += 1;
      else assert.ok(Number(response.headers.get('retry-after')) > 0);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return letIn;
}

function assertNearLimit(letIn: number): void {
  assert.ok(Math.abs(letIn - most) <= most * tolerance, `${letIn} of ${most} were accepted`);
}

const rows: [title: string, used: (all: TestService[]) => readonly TestService[], atOnce: number][] = [
  ['all nodes alike, concurrently', all => all, 60],
  ['all nodes alike, one after the other', all => all, 1],
  ['only one node', ([first]) => [first!], 20],
  [
    'one node more than the others',
    ([first, second, third]) => [first!, first!, first!, first!, second!, third!],
    12,
  ],
];
for (const [title, used, atOnce] of rows) {
  test(`${title}: the limit holds within a tenth, and again in the next minute`, async () => {
    const { token } = await addToken(owner);
    for (let minute = 0; minute < 2; minute += 1) {
      assertNearLimit(await countLetIn({ nodes: used(nodes), tokens: [token], count: 3 * most, atOnce }));
      clock.advance(60_000);
    }
  });
}

test('the unused share of a node goes to the others', async () => {
  const { token } = await addToken(owner);
  const sending = { tokens: [token], atOnce: 1 };
  await countLetIn({ ...sending, nodes, count: nodes.length });
  const deadline = performance.now() + 20_000;
  let letIn = nodes.length;
  while (letIn < most) {
    letIn += await countLetIn({ ...sending, nodes: nodes.slice(0, 1), count: 20 });
    assert.ok(performance.now() < deadline, `${letIn} of ${most} were accepted`);
  }
  assert.equal(letIn, most);
  clock.advance(60_000);
});

test('sessions of a token share its limit across all nodes', async () => {
  const { token } = await addToken(owner, { kind: 'logs' });
  const tokens: string[] = [];
  for (let job = 0; job < 10; job += 1) {
    const query = { sdkType: 'server_b', universeId: 'u', jobId: String(job) };
    tokens.push((await withToken(nodes[job % 3]!, token).call(reportSession, { query })).token);
  }
  const send = async (index: number) => {
    const response = await nodes[index % 3]!.fetch('/api/v3/logs', {
      method: 'POST',
      headers: { authorization: tokens[index % 10]!, 'content-type': 'application/json' },
      body: '[{"level":"info","message":"counted"}]',
    });
    return response.status;
  };
  const statuses: number[] = [];
  for (let sent = 0; sent < 2 * most; sent += 20)
    statuses.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => send(sent + index)))));
  assertNearLimit(10 + statuses.filter(status => status === 200).length);
  assert.ok(statuses.every(status => status === 200 || status === 429));
});
