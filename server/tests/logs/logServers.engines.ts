/** ClickHouse servers in a wrong state: entries are kept, queries are refused, and the log says what to fix. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '@tapedeck/contract/logs';
import { reachServer, runCommand } from '@tapedeck/log-store/testing';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';
import { startShards } from './shards.ts';

await using opened = new AsyncDisposableStack();
const shards = opened.use(await startShards(2));
const running = opened.move();
after(() => running.disposeAsync());
const { TAPEDECK_CLICKHOUSE_URL = '', TAPEDECK_CLICKHOUSE_CLUSTER = '' } = shards.environment;
const [firstUrl = '', secondUrl = ''] = TAPEDECK_CLICKHOUSE_URL.split(',');
const recoverMsMax = 30_000; // the service checks the tables every ten seconds
const closeRounds = 20; // queries in quick succession after a loss; later ones cost more than they could find

const runEverywhere = async (sql: string) => {
  for (const engine of shards.engines) await runCommand(engine, sql);
};

const forget = () => runEverywhere('DROP DATABASE IF EXISTS tapedeck SYNC');

function startOn(urls: readonly string[], cluster: string): Promise<TestService> {
  const environment = { TAPEDECK_CLICKHOUSE_URL: urls.join(','), TAPEDECK_CLICKHOUSE_CLUSTER: cluster };
  return startTestService({ environment });
}

const makeForeignTable = async () => {
  await runEverywhere('CREATE DATABASE IF NOT EXISTS tapedeck');
  await runEverywhere('CREATE TABLE tapedeck.logs (a String) ENGINE = MergeTree ORDER BY a');
};

const both = [firstUrl, secondUrl];
const mistakes: [string, readonly string[], string, RegExp, () => Promise<void>][] = [
  ['an unknown cluster', both, 'nosuch', /ClickHouse has no cluster ..nosuch/, async () => {}],
  [
    'one server of two shards',
    [firstUrl],
    TAPEDECK_CLICKHOUSE_CLUSTER,
    /has no table tapedeck\.logs: run .tapedeck migrate. with/,
    async () => {},
  ],
  [
    'more servers than shards',
    [...both, firstUrl.replace('127.0.0.1', 'localhost')],
    TAPEDECK_CLICKHOUSE_CLUSTER,
    /has 2 shards, and TAPEDECK_CLICKHOUSE_URL names 3/,
    async () => {},
  ],
  [
    'one server twice',
    [firstUrl, firstUrl.replace('127.0.0.1', 'localhost')],
    TAPEDECK_CLICKHOUSE_CLUSTER,
    /names one server twice/,
    async () => {},
  ],
  [
    'a foreign table',
    both,
    TAPEDECK_CLICKHOUSE_CLUSTER,
    /tapedeck\.logs lacks the columns/,
    makeForeignTable,
  ],
];
for (const [name, urls, cluster, sentence, arrange] of mistakes) {
  test(`${name}: keeps entries, answers no queries, and logs what to correct`, async () => {
    await forget();
    await arrange();
    await using service = await startOn(urls, cluster);
    const client = await openLogClient(service);
    await client.store([{ level: 'info', message: 'kept' }], 'main');
    for (const question of ['?dataset=main', '/facets?field=level', '/datasets', '/export'])
      assert.equal(await describeRefusal(await client.get(question)), '503 engine_unavailable', question);
    const notReady = await service.fetch('/readyz?role=query');
    assert.equal(notReady.status, 503);
    assert.match(await notReady.text(), sentence);
    const warnings = service.logged.filter(
      line => line.includes('the log tables are') && sentence.test(line),
    );
    assert.equal(warnings.length, 1, service.logged.join(''));
  });
}

test('recreates a table that reads from elsewhere', async () => {
  await forget();
  // A stopped service may have left a statement that creates it.
  await runCommand(shards.engines[0]!, 'CREATE DATABASE IF NOT EXISTS tapedeck');
  await runCommand(shards.engines[0]!, 'CREATE TABLE tapedeck.logs_of_all_shards (a String) ENGINE = Memory');
  await using service = await startOn(both, TAPEDECK_CLICKHOUSE_CLUSTER);
  const client = await openLogClient(service);
  for (let number = 0; number < 4; number++) {
    await client.store([{ level: 'info', message: 'counted' }], 'main');
    const answer = await readAs(queryLogs.answer, await client.get('?dataset=main&includeTotal=true'));
    assert.equal(answer.pagination.total, number + 1);
  }
});

/** Ways to lose data: an empty disk, dropped tables, or tables prepared by hand. */
const losses: readonly [title: string, statements: readonly string[]][] = [
  ['everything', ['DROP DATABASE tapedeck SYNC']],
  [
    'everything, and tables were prepared',
    [
      'CREATE TABLE tapedeck.kept AS tapedeck.logs',
      'DROP TABLE tapedeck.logs SYNC',
      'RENAME TABLE tapedeck.kept TO tapedeck.logs',
      'TRUNCATE TABLE tapedeck.installation_marks',
    ],
  ],
  ['its table', ['DROP TABLE tapedeck.logs SYNC']],
];
const questions = [
  '?dataset=main&includeTotal=true',
  '/facets?dataset=main&field=level',
  '/datasets',
  '/export?dataset=main',
];

describe('a server that has lost data', () => {
  // All tests share two nodes, which recover after each loss.
  let nodes: TestService[] = [];
  let client: Awaited<ReturnType<typeof openLogClient>>;
  const request = (node: TestService, question: string) =>
    node.fetch(`/api/v3/logs${question}`, { headers: { authorization: client.token } });

  before(async () => {
    await forget();
    const first = await startOn(both, TAPEDECK_CLICKHOUSE_CLUSTER);
    const environment = { TAPEDECK_CLICKHOUSE_URL, TAPEDECK_CLICKHOUSE_CLUSTER };
    nodes = [first, await startTestService({ besides: first, environment })];
    client = await openLogClient(first);
  });
  after(async () => {
    for (const node of nodes.toReversed()) await node[Symbol.asyncDispose]();
  });

  for (const [title, statements] of losses) {
    for (const index of [0, 1]) {
      it(`server ${index} that lacks ${title}: no node answers queries, and entries are kept`, async () => {
        for (const node of nodes) await untilAnswered(node, () => request(node, '?dataset=main'));
        for (let number = 0; number < 4; number++) {
          await client.store([{ level: 'info', message: 'lost or not' }], 'main');
          for (const node of nodes) {
            const answer = await request(node, '?dataset=main');
            assert.equal(answer.status, 200, await answer.text());
          }
        }
        const loggedBefore = new Map(nodes.map(node => [node, node.logged.length]));
        for (const sql of statements) await runCommand(shards.engines[index]!, sql);
        // From now on, and after both nodes' checks, which run every ten seconds.
        const warnings = (node: TestService) =>
          node.logged
            .slice(loggedBefore.get(node))
            .some(line => /has lost the mark .* `tapedeck adopt`/.test(line));
        let rounds = 0;
        for (const deadline = performance.now() + recoverMsMax; !nodes.every(warnings); ) {
          for (const node of nodes) await assertRefused(node, questions[rounds++ % questions.length]!);
          assert.ok(performance.now() < deadline, 'the nodes do not detect it');
          await wait(rounds < closeRounds * nodes.length ? 50 : 400);
        }
        const kept = `kept ${title} ${index}`;
        await client.store([{ level: 'info', message: kept }], 'main');
        for (let number = 0; number < 10 * questions.length; number++) {
          for (const node of nodes) await assertRefused(node, questions[number % questions.length]!);
        }
        for (const node of nodes) await assertNamed(node, both[index]!);
        await tapedeck(['adopt'], { ...shards.environment, TAPEDECK_DATA_DIR: nodes[0]!.dataDir });
        for (const node of nodes) await untilFound(node, kept);
      });
    }
  }

  async function assertRefused(node: TestService, question: string): Promise<void> {
    assert.equal(await describeAnswer(await request(node, question)), '503 engine_unavailable', question);
  }

  async function untilFound(node: TestService, kept: string): Promise<void> {
    const deadline = performance.now() + recoverMsMax;
    for (;;) {
      const response = await request(node, '?dataset=main');
      if (response.status === 200) {
        const { data } = await readAs(queryLogs.answer, response);
        if (data.some(({ body }) => body === kept)) return;
      }
      assert.ok(performance.now() < deadline, 'the kept entries are not found');
      await wait(50);
    }
  }
});

/** Asserts that only this server is named as not ready, with the reason and a remedy. */
async function assertNamed(node: TestService, url: string): Promise<void> {
  const notReady = await node.fetch('/readyz?role=query');
  assert.equal(notReady.status, 503);
  const why = await notReady.text();
  assert.match(why, /Not ready: logs\. The ClickHouse server at \S+ has lost the mark .* `tapedeck adopt`/);
  assert.deepEqual(
    both.filter(named => why.includes(named)),
    [url],
  );
}

/** Retries: nodes create the tables within two seconds of the start, or later on a busy machine. */
async function untilAnswered(node: TestService, send: () => Promise<Response>): Promise<void> {
  const deadline = performance.now() + recoverMsMax;
  while ((await send()).status !== 200) {
    assert.ok(performance.now() < deadline, node.logged.join(''));
    await wait(50);
  }
}

/** An export that was begun may be cut off, which is not an answer either. */
async function describeAnswer(response: Response): Promise<string> {
  return response.status === 200
    ? `200 ${await response.text().catch(() => 'cut off')}`
    : describeRefusal(response);
}

test('sends a non-ASCII password to the server in UTF-8', () => {
  const { headers } = reachServer('http://us%C3%A9r:%E6%97%A5@localhost:1').access.endpoint()!;
  const sent = Object.values(headers).map(value => Buffer.from(value, 'latin1').toString());
  assert.deepEqual(sent, ['usér', '日']);
});
