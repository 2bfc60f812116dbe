/** ClickHouse servers that are not as they should be: entries are kept, questions are refused, and the log says what to correct. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '../src/contract/logs.ts';
import { runCommand } from '../src/stores/logs/query/statements.ts';
import { reachServer } from '../src/stores/logs/store.ts';
import { describeRefusal } from './client.ts';
import { readAs } from './jsonAnswers.ts';
import { openLogDoor } from './logDoor.ts';
import { startShards } from './logs/shards.ts';
import { startTestService, type TestService } from './service.ts';

await using opened = new AsyncDisposableStack();
const shards = opened.use(await startShards(2));
const running = opened.move();
after(() => running.disposeAsync());
const { TAPEDECK_CLICKHOUSE_URL = '', TAPEDECK_CLICKHOUSE_CLUSTER = '' } = shards.environment;
const [firstUrl = '', secondUrl = ''] = TAPEDECK_CLICKHOUSE_URL.split(',');
const recoverMsMax = 30_000; // the tables are looked at every ten seconds

const runEverywhere = async (sql: string) => {
  for (const engine of shards.engines) await runCommand(engine, sql);
};

beforeEach(() => runEverywhere('DROP DATABASE IF EXISTS tapedeck SYNC'));

function startOn(urls: readonly string[], cluster: string): Promise<TestService> {
  const environment = { TAPEDECK_CLICKHOUSE_URL: urls.join(','), TAPEDECK_CLICKHOUSE_CLUSTER: cluster };
  return startTestService({ environment });
}

const makeForeignTable = async () => {
  await runEverywhere('CREATE DATABASE tapedeck');
  await runEverywhere('CREATE TABLE tapedeck.logs (a String) ENGINE = MergeTree ORDER BY a');
};

const both = [firstUrl, secondUrl];
const mistakes: [string, readonly string[], string, RegExp, () => Promise<void>][] = [
  ['a cluster that is not there', both, 'nosuch', /ClickHouse knows no cluster ..nosuch/, async () => {}],
  [
    'one server of two shards',
    [firstUrl],
    TAPEDECK_CLICKHOUSE_CLUSTER,
    /has 2 shards, and TAPEDECK_CLICKHOUSE_URL names 1/,
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
    'a table of somebody else',
    both,
    TAPEDECK_CLICKHOUSE_CLUSTER,
    /tapedeck\.logs lacks the columns/,
    makeForeignTable,
  ],
];
for (const [name, urls, cluster, sentence, arrange] of mistakes) {
  test(`${name}: entries are kept, nothing is answered, the log says what to correct`, async () => {
    await arrange();
    await using service = await startOn(urls, cluster);
    const door = await openLogDoor(service);
    await door.store([{ level: 'info', message: 'kept' }], 'main');
    for (const question of ['?dataset=main', '/facets?field=level', '/datasets', '/export'])
      assert.equal(await describeRefusal(await door.get(question)), '503 engine_unavailable', question);
    assert.equal((await service.fetch('/readyz')).status, 503);
    const told = service.logged.filter(line => sentence.test(line));
    assert.equal(told.length, 1, service.logged.join(''));
  });
}

test('a table that reads from elsewhere is made anew, and a server that comes back empty gets its tables', async () => {
  await runCommand(shards.engines[0]!, 'CREATE DATABASE tapedeck');
  await runCommand(shards.engines[0]!, 'CREATE TABLE tapedeck.logs_of_all_shards (a String) ENGINE = Memory');
  await using service = await startOn(both, TAPEDECK_CLICKHOUSE_CLUSTER);
  const door = await openLogDoor(service);
  for (let number = 0; number < 4; number++) {
    await door.store([{ level: 'info', message: 'counted' }], 'main');
    const answer = await readAs(queryLogs.answer, await door.get('?dataset=main&includeTotal=true'));
    assert.equal(answer.pagination.total, number + 1);
  }
  await runCommand(shards.engines[1]!, 'DROP DATABASE tapedeck SYNC');
  for (const deadline = performance.now() + recoverMsMax; ; await wait(100)) {
    if ((await door.get('?dataset=main')).status === 200) break;
    assert.ok(performance.now() < deadline, 'the tables do not come back');
  }
});

test('a password that is not ASCII reaches the server in UTF-8', () => {
  const { headers } = reachServer('http://us%C3%A9r:%E6%97%A5@localhost:1').access.endpoint()!;
  const sent = Object.values(headers).map(value => Buffer.from(value, 'latin1').toString());
  assert.deepEqual(sent, ['usér', '日']);
});
