/** Tests statements against a real engine: bound values arrive unchanged, and every failure has its code. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { createRunner, runQuery } from '../../queries/queryRunner.ts';
import { EngineError } from './requests.ts';
import { queryRows, runCommand, streamRows } from './statements.ts';
import type { EngineAccess } from './supervision.ts';

let store: TestStore;

before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());

const awkward = [
  '',
  'plain',
  "'; DROP TABLE logs --",
  '\\',
  '\\N',
  'a\tb\nc\rd\0e',
  '{p:String}',
  '%_',
  'ünï🎮',
  '\u2028',
];

for (const text of awkward) {
  test(`${JSON.stringify(text)} arrives unchanged`, async () => {
    const rows = await queryRows(store.shards[0], { sql: 'SELECT {p:String}', parameters: { p: text } });
    assert.deepEqual(rows, [[text]]);
  });
}

test('returns many rows in several complete batches', async () => {
  let [rows, batches] = [0, 0];
  for await (const batch of streamRows(store.shards[0], {
    sql: "SELECT number, 'äöü' FROM numbers(300000)",
  })) {
    batches++;
    for (const row of batch) assert.deepEqual(row, [rows++, 'äöü']);
  }
  assert.equal(rows, 300_000);
  assert.ok(batches > 1);
});

test('rejects when the engine reports an error after the first rows', async () => {
  const sql = 'SELECT throwIf(number = 500000) FROM numbers(1000000)';
  await assert.rejects(queryRows(store.shards[0], { sql }), EngineError);
});

test('rejects for a slow reader, too, when the error comes after the first rows', async () => {
  const sql = 'SELECT throwIf(number = 500000) FROM numbers(1000000)';
  const read = async () => {
    const batches = streamRows(store.shards[0], { sql });
    while (!(await batches.next()).done) await wait(5);
  };
  await assert.rejects(read(), EngineError);
});

test('a query cannot change data', async () => {
  await assert.rejects(queryRows(store.shards[0], { sql: "SELECT 1 INTO OUTFILE 'x'" }), EngineError);
  await assert.rejects(queryRows(store.shards[0], { sql: 'SYSTEM RELOAD CONFIG' }), EngineError);
});

test('names the reason when a query takes too long or too much memory', async () => {
  const slow = {
    sql: 'SELECT sum(sipHash64(number)) FROM numbers(100000000000)',
    settings: { max_execution_time: 0.2 },
  };
  await assert.rejects(queryRows(store.shards[0], slow), { code: 'query_timeout' });
  const large = {
    sql: 'SELECT groupArray(number) FROM numbers(100000000)',
    settings: { max_memory_usage: 10_000_000 },
  };
  await assert.rejects(queryRows(store.shards[0], large), { code: 'overloaded', retryAfterSeconds: 5 });
});

test('ends a query in the engine when its caller leaves', async () => {
  const leaver = new AbortController();
  const runner = createRunner({
    access: store.shards[0],
    memoryBytesMax: 400_000_000,
    waitForWholeBatches: async () => {},
  });
  const asked = runQuery(
    runner,
    { weight: 'heavy', signal: leaver.signal },
    { sql: 'SELECT sum(sipHash64(number)) FROM numbers(100000000000)' },
  );
  const countRunning = async () => {
    const sql =
      "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64%' AND query NOT LIKE '%processes%'";
    const [row] = await queryRows(store.shards[0], { sql });
    return row?.[0];
  };
  while ((await countRunning()) !== 1);
  leaver.abort(new Error('gone'));
  await assert.rejects(asked, /gone/);
  while ((await countRunning()) !== 0);
});

test('leaving a stream early ends the query in the engine', async () => {
  for await (const _ of streamRows(store.shards[0], { sql: 'SELECT number FROM system.numbers' })) break;
  const countRunning = async () => {
    const sql =
      "SELECT count() FROM system.processes WHERE query LIKE '%system.numbers%' AND query NOT LIKE '%processes%'";
    const [row] = await queryRows(store.shards[0], { sql });
    return row?.[0];
  };
  while ((await countRunning()) !== 0);
});

test('commands bind values too', async () => {
  await runCommand(store.shards[0], 'CREATE DATABASE {name:Identifier}', {
    parameters: { name: 'some where' },
  });
  await assert.rejects(
    runCommand(store.shards[0], 'CREATE DATABASE {name:Identifier}', {
      parameters: { name: 'some where' },
    }),
  );
});

const access = (url: string | null): EngineAccess => ({
  endpoint: () => (url === null ? null : { url, headers: {} }),
  onUp: () => () => {},
});

test('reports an engine that is down or does not listen as unavailable', async () => {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  server.close();
  await once(server, 'close');
  for (const url of [null, `http://127.0.0.1:${port}`]) {
    await assert.rejects(queryRows(access(url), { sql: 'SELECT 1' }), {
      code: 'engine_unavailable',
      retryAfterSeconds: 1,
    });
  }
});

for (const [name, body] of [
  ['in the middle of a row', '[1]\n[2'],
  ['between two rows', '[1]\n'],
] as const) {
  test(`rejects an answer that is cut off ${name}`, async () => {
    const server = http.createServer((_, response) => {
      response.writeHead(200);
      response.write(body, () => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // of a TCP server
    await assert.rejects(queryRows(access(`http://127.0.0.1:${port}`), { sql: 'SELECT 1' }), {
      code: 'engine_unavailable',
    });
    server.close();
  });
}
