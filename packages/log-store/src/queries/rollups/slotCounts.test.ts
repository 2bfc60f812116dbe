/** Tests that counts from cached slots are exact, whatever happens to the parts, and that the cache is used. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId, type LogFilter, logLevels } from '@tapedeck/log-entries';
import {
  everything as anyEntry,
  compileCondition,
  MatchableEntry,
  parseQuery,
} from '@tapedeck/log-query-language';
import {
  insertEntries,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../../../tests/clickhouse.ts';
import { runCommand } from '../../writer/engine/statements.ts';
import { localTable, slotMicros } from '../../writer/schema/schema.ts';
import { createRunner, type Runner } from '../queryRunner.ts';
import type { KeptField } from './keptSlots.ts';
import { SlotCounts } from './slotCounts.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const stepMicros = 7_000_000; // borders of slots fall between entries, and on them
const entriesEach = 700;
const signal = new AbortController().signal;

let store: TestStore;
let runner: Runner;
let stored: StoredEntry['entry'][] = [];
/** Runs before a statement is sent. */
let intervene: () => Promise<void> = async () => {};
let statements = 0;

before(async () => {
  store = await startTestStore();
  const waitForWholeBatches = async () => {
    statements++;
    await intervene();
  };
  runner = createRunner({ access: store.shards[0], memoryBytesMax: 400_000_000, waitForWholeBatches });
});
after(() => store[Symbol.asyncDispose]());

let made = 0; // the engine takes an equal insert for a repeated one

function makeEntry(index: number, dataset: string): StoredEntry {
  const timestampMicros = startMicros + index * stepMicros;
  const traceId = composeTraceId(timestampMicros, `8${(++made).toString(16).padStart(15, '0')}`);
  const level = logLevels[index % logLevels.length] ?? 'info';
  const resource = index % 5 === 0 ? '' : `Server ${index % 3}`;
  const about = { parentId: '', dataset, level, resource, body: `entry ${index}`, metadata: {} };
  return { project: 'one', entry: { traceId, timestampMicros, ...about } };
}

async function insert(dataset: string, count = entriesEach): Promise<void> {
  const entries = Array.from({ length: count }, (_, index) => makeEntry(index, dataset));
  await insertEntries(store, entries);
  stored.push(...entries.map(({ entry }) => entry));
}

const run = (sql: string) => runCommand(store.shards[0], sql);
const merge = () => run(`OPTIMIZE TABLE ${localTable} FINAL`);
const changeCounts = (verb: string) =>
  run(`ALTER TABLE ${localTable} ${verb} PROJECTION fieldCounts SETTINGS mutations_sync = 2`);
const openCounts = (access = store.shards[0]) => new SlotCounts(runner, access);

async function remove(condition: string, isGone: (entry: StoredEntry['entry']) => boolean): Promise<void> {
  await run(`DELETE FROM ${localTable} WHERE ${condition}`);
  stored = stored.filter(entry => !isGone(entry));
}

const at = (slots: number) => startMicros + slots * slotMicros;
const times: Pick<LogFilter, 'fromMicros' | 'toMicros'>[] = [
  { fromMicros: null, toMicros: null },
  { fromMicros: at(1), toMicros: null },
  { fromMicros: at(1) + 1, toMicros: at(3) - 1 },
  { fromMicros: at(0), toMicros: at(3) },
  { fromMicros: at(1.2), toMicros: at(2.9) + slotMicros },
  { fromMicros: null, toMicros: at(2) - 2 },
  { fromMicros: at(4), toMicros: at(40) },
  { fromMicros: at(1.1), toMicros: at(1.9) },
  { fromMicros: at(1.4) + 3, toMicros: at(3.6) },
  { fromMicros: at(0.7), toMicros: at(4.3) },
];
const texts = [
  '',
  'level:error',
  '-level:info',
  'level:warn OR resource:"server 1"',
  'resource:SERVER* level:debug',
  'dataset:game -level:error',
  'resource:""',
];
const fields: readonly KeptField[] = ['level', 'resource', 'dataset'];

function parse(text: string): LogFilter['condition'] {
  return parseQuery(text) ?? anyEntry;
}

function countByHand(filter: LogFilter, field: KeptField): Map<string, number> {
  const isMatch = compileCondition(filter.condition);
  const counts = new Map<string, number>();
  for (const entry of stored) {
    const isWithin =
      entry.timestampMicros >= (filter.fromMicros ?? 0) &&
      entry.timestampMicros <= (filter.toMicros ?? Number.POSITIVE_INFINITY);
    const isOfDataset = filter.datasets?.includes(entry.dataset) ?? true;
    if (isWithin && isOfDataset && isMatch(new MatchableEntry({ ...entry, pattern: '' })))
      counts.set(entry[field], (counts.get(entry[field]) ?? 0) + 1);
  }
  return counts;
}

const everything: LogFilter = {
  project: 'one',
  datasets: null,
  condition: parse(''),
  fromMicros: null,
  toMicros: null,
};

/** Lets the service load what it can: one question is enough. */
async function fill(counts: SlotCounts): Promise<void> {
  await counts.count({ filter: everything, field: 'level', signal });
  await counts.waitUntilLoaded();
}

/** Compares each answer, with the fields in turn, and returns how many were given without the engine's kept counts. */
async function compare(counts: SlotCounts): Promise<number> {
  let answered = 0;
  for (const [index, time] of times.entries())
    for (const [turn, text] of texts.entries()) {
      const field = fields[(index + turn) % fields.length] ?? 'level';
      const datasets = [null, ['game'], ['other', 'game']][index % 3] ?? null;
      const filter = { ...everything, datasets, condition: parse(text), ...time };
      const found = await counts.count({ filter, field, signal });
      if (found === null) continue;
      answered++;
      assert.deepEqual(found, countByHand(filter, field), JSON.stringify([text, time, datasets, field]));
    }
  return answered;
}

async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const before = statements;
  await work();
  return statements - before;
}

const states: Record<string, () => Promise<void>> = {
  'with one new part': () => insert('game'),
  'with several merged parts': () => insert('other').then(merge),
  'with a merged part and a new one': () => insert('third'),
  'after entries are deleted one by one': () => remove("body LIKE '%7'", ({ body }) => body.endsWith('7')),
  'after a dataset is deleted': () => remove("dataset = 'third'", ({ dataset }) => dataset === 'third'),
  'after another merge': merge,
  'where parts keep no counts, like those of earlier versions': () => changeCounts('CLEAR'),
  'where some parts keep counts': () => insert('late'),
  completed: () => changeCounts('MATERIALIZE'),
};

let filled: SlotCounts;
for (const [name, reach] of Object.entries(states))
  test(`are exact ${name}`, async () => {
    filled ??= openCounts();
    await reach();
    await compare(filled); // as another question left it
    await fill(filled);
    assert.equal(await compare(filled), times.length * texts.length);
  });

/** Leaves one merged part. The engine does not merge an emptied part with others, as those of the states above. */
async function beginAnew(): Promise<void> {
  await run(`TRUNCATE TABLE ${localTable}`);
  stored = [];
  await insert('game');
  await insert('other');
  await merge();
}

test('ask the engine for the ends alone, and for nothing if the range has whole slots', async () => {
  const counts = openCounts();
  await beginAnew();
  await fill(counts);
  const ask = (time: (typeof times)[number]) => () =>
    counts.count({ filter: { ...everything, ...time }, field: 'level', signal });
  assert.equal(await countStatements(ask({ fromMicros: at(1) + 1, toMicros: at(4) - 1_000_000 })), 1);
  assert.equal(await countStatements(ask({ fromMicros: at(1), toMicros: at(3) - 1 })), 0);
  assert.equal(await countStatements(ask({ fromMicros: null, toMicros: null })), 0);
});

test('of many parts are loaded by one question, and ends without entries cost no statement', async () => {
  const stepsOfMonth = Math.round((31 * 86_400_000_000) / stepMicros);
  for (const dataset of ['monthly', 'again']) {
    const months = Array.from({ length: 10 }, (_, month) => makeEntry(month * stepsOfMonth, dataset));
    await insertEntries(store, months);
  }
  await merge();
  const counts = openCounts();
  await fill(counts);
  const filter = { ...everything, datasets: ['again'], fromMicros: at(-0.3), toMicros: at(90_000.2) };
  const ask = () => counts.count({ filter, field: 'dataset', signal });
  assert.equal(await countStatements(ask), 0);
  assert.deepEqual(await ask(), new Map([['again', 10]]));
  await beginAnew();
});

test('are not used without a whole slot, and for conditions on other fields', async () => {
  const counts = openCounts();
  await fill(counts);
  const within = { fromMicros: at(1.6), toMicros: at(2.4) };
  assert.equal(await counts.count({ filter: { ...everything, ...within }, field: 'level', signal }), null);
  for (const text of ['entry', 'player.id:1', 'level:error entry']) {
    const filter = { ...everything, condition: parse(text) };
    assert.equal(await counts.count({ filter, field: 'level', signal }), null, text);
  }
});

const changes: Record<string, () => Promise<void>> = {
  'an insert': () => insert('meanwhile', 3),
  'a merge': merge,
  'a deletion': () => remove("body LIKE '%9'", ({ body }) => body.endsWith('9')),
};
for (const [name, change] of Object.entries(changes))
  test(`are not used if they may miss ${name} during the statement`, async () => {
    await insert(name);
    const counts = openCounts();
    await fill(counts);
    const filter = { ...everything, fromMicros: at(0.5), toMicros: at(3.5) };
    intervene = async () => {
      intervene = async () => {};
      await change();
    };
    assert.equal(await counts.count({ filter, field: 'level', signal }), null);
    const found = await counts.count({ filter, field: 'level', signal });
    assert.deepEqual(found, countByHand(filter, 'level'));
  });

test('are exact for a part that takes the name of a dropped one after a restart', async () => {
  await merge();
  let endpoint = store.shards[0].endpoint();
  const counts = openCounts({ endpoint: () => endpoint, onUp: () => () => {} });
  await fill(counts);
  endpoint = endpoint && { ...endpoint };
  assert.equal(await countStatements(() => counts.count({ filter: everything, field: 'level', signal })), 1);
  assert.deepEqual(
    await counts.count({ filter: everything, field: 'level', signal }),
    countByHand(everything, 'level'),
  );
});

test('are between those before and after, while entries are inserted and parts merged', async () => {
  const counts = openCounts();
  await merge();
  await fill(counts);
  let isOver = false;
  const merging = (async () => {
    while (!isOver) await merge();
  })();
  let answered = 0;
  const total = (found: Map<string, number>) => found.values().reduce((sum, each) => sum + each, 0);
  const inserting = (async () => {
    for (let round = 0; round < 40; round++) await insert('busy', 20);
    isOver = true;
  })();
  while (!isOver) {
    const before = stored.length;
    const found = await counts.count({ filter: everything, field: 'dataset', signal });
    if (found === null) continue;
    answered++;
    // An insert becomes visible before the test counts it.
    assert.ok(total(found) >= before && total(found) <= stored.length + 20, `${before} ${total(found)}`);
  }
  await Promise.all([merging, inserting]);
  assert.ok(answered > 0);
});

test('of a part with too many rows are left to the engine', async () => {
  const wide = Array.from({ length: 20_100 }, (_, index) => {
    const { entry } = makeEntry(index, 'wide');
    return { project: 'two', entry: { ...entry, resource: `${index}` } };
  });
  await insertEntries(store, wide);
  await merge();
  const counts = openCounts();
  const filter = { ...everything, project: 'two' };
  for (let round = 0; round < 3; round++) {
    await counts.count({ filter, field: 'level', signal });
    await counts.waitUntilLoaded();
  }
  // The part is read like one without kept counts.
  assert.equal(await countStatements(() => counts.count({ filter, field: 'level', signal })), 1);
  const found = await counts.count({ filter, field: 'level', signal });
  assert.equal(
    found?.values().reduce((sum, each) => sum + each, 0),
    20_100,
  );
});
