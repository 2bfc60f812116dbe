/** Cases for tests: counts of values are exact, and parts already read are not read again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  composeTraceId,
  type LogField,
  type LogValuesQuestion,
  type ValueCount,
} from '@tapedeck/log-entries';
import { matchAll } from '../../src/queries/entries.ts';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { queryRows, runCommand } from '../../src/writer/engine/statements.ts';
import type { EngineAccess } from '../../src/writer/engine/supervision.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import { insertEntries, openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';
import { asks } from '../randomConditions.ts';
import { namesParts, relay } from '../relay.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const signal = new AbortController().signal;
const map: LogField = { kind: 'metadata', path: 'map' };
const player: LogField = { kind: 'metadata', path: 'player' };
const level: LogField = { kind: 'level' };

const all = (field: LogField): LogValuesQuestion => ({ field, prefix: '', limit: 50 });

let store: TestStore;
let queries: LogQueries;
let statements = 0;
let lastIdentity = 0;

before(async () => {
  store = await startTestStore();
  const [first, ...others] = store.shards.map(countStatements);
  queries = openQueries(store, [first!, ...others]);
});

after(() => store[Symbol.asyncDispose]());

function countStatements(access: EngineAccess): EngineAccess {
  const endpoint = () => {
    statements++;
    return access.endpoint();
  };
  return { ...access, endpoint };
}

/** Inserts one entry for each of the maps, all in one insert. */
async function insertMaps(dataset: string, maps: readonly string[]): Promise<void> {
  const stored = maps.map(name => {
    const timestampMicros = startMicros + ++lastIdentity;
    const traceId = composeTraceId(timestampMicros, `8${lastIdentity.toString(16).padStart(15, '0')}`);
    const metadata = { map: name, player: String(lastIdentity) };
    const rest = { parentId: '', dataset, level: 'info', resource: '', body: 'round over' } as const;
    return { project: 'one', entry: { traceId, timestampMicros, metadata, ...rest } };
  });
  await insertEntries(store, stored);
}

function joinParts(): Promise<void> {
  return runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
}

/** Returns the values, and the number of statements per server. */
async function count(dataset: string, field: LogField): Promise<[Record<string, number>, number]> {
  const filter = matchAll({ project: 'one', datasets: [dataset] });
  const before = statements;
  const values = await queries.countValues(filter, all(field), signal);
  const entries = values.map(({ value, count: times }: ValueCount) => [value, times] as const);
  return [Object.fromEntries(entries), (statements - before) / store.shards.length];
}

/** If nothing has changed for a while, a query costs one look at the parts. In a cluster the store cannot know that. */
async function requireRemembered(dataset: string, field: LogField, expected: object): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const [values, asked] = await count(dataset, field);
    assert.deepEqual(values, expected);
    if (asked <= 1 || store.clusterName !== null) return;
    assert.ok(Date.now() < deadline, 'the answer is not remembered');
    await wait(20);
  }
}

test('counts entries that have arrived since', async () => {
  await insertMaps('grown', ['dust', 'dust', 'inferno']);
  assert.deepEqual((await count('grown', map))[0], { dust: 2, inferno: 1 });
  await insertMaps('grown', ['dust', 'mirage']);
  const [values, asked] = await count('grown', map);
  assert.deepEqual(values, { dust: 3, inferno: 1, mirage: 1 });
  assert.ok(asked <= 6, `${asked}`); // three looks at parts, two at what they know of the path, and the query
  await requireRemembered('grown', map, { dust: 3, inferno: 1, mirage: 1 });
});

test('reads merged parts again and counts the same', async () => {
  for (const name of ['dust', 'dust', 'inferno', 'dust']) await insertMaps('merged', [name]);
  const expected = { dust: 3, inferno: 1 };
  assert.deepEqual((await count('merged', map))[0], expected);
  await joinParts();
  await requireRemembered('merged', map, expected);
});

test('counts values that are too long to be cached by part', async () => {
  const maps = Array.from({ length: 600 }, (_, index) => `${index}`.padStart(10_000, 'x'));
  await insertMaps('long', maps);
  const [first] = await count('long', map);
  assert.ok(Object.values(first).every(times => times === 1));
  assert.deepEqual((await count('long', map))[0], first);
});

test('caches a result until something changes', async () => {
  await insertMaps('levels', ['dust']);
  await requireRemembered('levels', level, { info: 1 });
  await insertMaps('levels', ['dust', 'dust']);
  assert.deepEqual((await count('levels', level))[0], { info: 3 });
  await joinParts();
  assert.deepEqual((await count('levels', level))[0], { info: 3 });
  await requireRemembered('levels', level, { info: 3 });
  await runOnShards(store, `DELETE FROM ${localTable} WHERE dataset = 'levels' AND metadata['map'] = 'dust'`);
  assert.deepEqual((await count('levels', level))[0], {});
});

test('counts tens of thousands of values exactly', async () => {
  await insertMaps(
    'many',
    Array.from({ length: 30_000 }, () => 'dust'),
  );
  await insertMaps('many', ['inferno']);
  const [first] = await count('many', player);
  assert.deepEqual(
    Object.values(first),
    Array.from({ length: Object.keys(first).length }, () => 1),
  );
  await requireRemembered('many', player, first);
});

test('does not add up very many values of several parts', async () => {
  await runOnShards(store, `SYSTEM STOP MERGES ${localTable}`);
  let first: Record<string, number> = {};
  for (let insert = 0; insert < 2; insert++) {
    await insertMaps(
      'several',
      Array.from({ length: 12_000 }, () => 'dust'),
    );
    [first] = await count('several', player);
  }
  const [second] = await count('several', player);
  assert.deepEqual(second, first);
  await requireRemembered('several', player, first); // the cache has the answer, but not the values of each part
  await runOnShards(store, `SYSTEM START MERGES ${localTable}`);
});

test('orders equally frequent values by their bytes, however they are counted', async () => {
  const names = ['\u{1f600}', '\u{1f601}', '\uffee', '\ue000', 'é', 'e', 'ee', 'Z', 'z\u{1f600}', 'z\uffee'];
  const others = Array.from({ length: 41 }, (_, index) => `map ${index}`);
  await insertMaps('equal', [...names, ...others, 'often', 'often']);
  const filter = matchAll({ project: 'one', datasets: ['equal'] });
  for (const path of ['map', 'player']) {
    const field: LogField = { kind: 'metadata', path };
    const remembered = await queries.countValues(filter, all(field), signal);
    const counted = await queries.countValues(
      { ...filter, condition: asks('body:round') },
      all(field),
      signal,
    );
    assert.equal(remembered.length, 50);
    assert.deepEqual(remembered, counted);
  }
});

test('leaves out a part that disappears while it is counted', async () => {
  await joinParts();
  await runOnShards(store, `SYSTEM STOP MERGES ${localTable}`);
  for (let insert = 0; insert < 3; insert++) await insertMaps('restless', ['dust']);
  const [shard, ...others] = store.shards;
  let readings = 0;
  await using watched = await relay(shard, async url => {
    if (namesParts(url) && ++readings === 1) await dropNewestPart(shard);
  });
  const { countValues } = openQueries(store, [watched, ...others]);
  const filter = matchAll({ project: 'one', datasets: ['restless'] });
  assert.deepEqual(await countValues(filter, all(map), signal), [{ value: 'dust', count: 2 }]);
  await runOnShards(store, `SYSTEM START MERGES ${localTable}`);
  assert.ok(readings > 1, 'the others are counted again');
});

/** The last test, because every later merge would include these entries. */
test('counts large and small parts alike', async () => {
  const entries = 600_000; // each shard gets this many
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, metadata)
     SETTINGS materialize_skip_indexes_on_insert = 0
     SELECT 'one', 'large', fromUnixTimestamp64Micro(${startMicros - entries} + number, 'UTC'), number, 'warn',
       map('map', concat('map ', toString(number % 3)))
     FROM numbers(${entries})`,
  );
  await insertMaps('large', ['map 0', 'dust']);
  const each = (entries / 3) * store.shards.length;
  const expected = { 'map 0': each + 1, 'map 1': each, 'map 2': each, dust: 1 };
  assert.deepEqual((await count('large', map))[0], expected);
  assert.deepEqual((await count('large', level))[0], { warn: entries * store.shards.length, info: 2 });
});

async function dropNewestPart(access: EngineAccess): Promise<void> {
  const sql = `SELECT _part FROM ${localTable} GROUP BY _part ORDER BY max(timestamp) DESC LIMIT 1`;
  const [[name] = []] = await queryRows(access, { sql });
  await runCommand(access, `ALTER TABLE ${localTable} DROP PART '${name}'`);
}
