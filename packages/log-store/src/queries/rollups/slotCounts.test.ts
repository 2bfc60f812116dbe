/** Tests that counts from cached slots are exact, whatever happens to the parts, and that the cache is used. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LogFilter } from '@tapedeck/log-entries';
import { insertEntries } from '../../../tests/clickhouse.ts';
import {
  at,
  everyEntry,
  makeEntry,
  parse,
  SlotStore,
  signal,
  stepMicros,
} from '../../../tests/slotCounting.ts';
import { localTable, slotMicros } from '../../writer/schema/schema.ts';
import type { KeptField } from './keptSlots.ts';
import type { SlotCounts } from './slotCounts.ts';

let slots: SlotStore;
before(async () => {
  slots = await SlotStore.open();
});
after(() => slots[Symbol.asyncDispose]());

const changeCounts = (verb: string) =>
  slots.run(`ALTER TABLE ${localTable} ${verb} PROJECTION fieldCounts SETTINGS mutations_sync = 2`);

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

/** Lets the service load what it can: one question is enough. */
async function fill(counts: SlotCounts): Promise<void> {
  await counts.count({ filter: everyEntry, field: 'level', signal });
  await counts.waitUntilLoaded();
}

/** Compares each answer, with the fields in turn, and returns how many were given without the engine's kept counts. */
async function compare(counts: SlotCounts): Promise<number> {
  let answered = 0;
  for (const [index, time] of times.entries())
    for (const [turn, text] of texts.entries()) {
      const field = fields[(index + turn) % fields.length] ?? 'level';
      const datasets = [null, ['game'], ['other', 'game']][index % 3] ?? null;
      const filter = { ...everyEntry, datasets, condition: parse(text), ...time };
      const found = await counts.count({ filter, field, signal });
      if (found === null) continue;
      answered++;
      assert.deepEqual(
        found,
        slots.countByHand(filter, field),
        JSON.stringify([text, time, datasets, field]),
      );
    }
  return answered;
}

const states: Record<string, () => Promise<void>> = {
  'with one new part': () => slots.insert('game'),
  'with several merged parts': () => slots.insert('other').then(() => slots.merge()),
  'with a merged part and a new one': () => slots.insert('third'),
  'after entries are deleted one by one': () =>
    slots.remove("body LIKE '%7'", ({ body }) => body.endsWith('7')),
  'after a dataset is deleted': () => slots.remove("dataset = 'third'", ({ dataset }) => dataset === 'third'),
  'after another merge': () => slots.merge(),
  'where parts keep no counts, like those of earlier versions': () => changeCounts('CLEAR'),
  'where some parts keep counts': () => slots.insert('late'),
  completed: () => changeCounts('MATERIALIZE'),
};

let filled: SlotCounts;
for (const [name, reach] of Object.entries(states))
  test(`are exact ${name}`, async () => {
    filled ??= slots.openCounts();
    await reach();
    await compare(filled); // as another question left it
    await fill(filled);
    assert.equal(await compare(filled), times.length * texts.length);
  });

test('ask the engine for the ends alone, and for nothing if the range has whole slots', async () => {
  const counts = slots.openCounts();
  await slots.beginAnew();
  await fill(counts);
  const ask = (time: (typeof times)[number]) => () =>
    counts.count({ filter: { ...everyEntry, ...time }, field: 'level', signal });
  assert.equal(await slots.countStatements(ask({ fromMicros: at(1) + 1, toMicros: at(4) - 1_000_000 })), 1);
  assert.equal(await slots.countStatements(ask({ fromMicros: at(1), toMicros: at(3) - 1 })), 0);
  assert.equal(await slots.countStatements(ask({ fromMicros: null, toMicros: null })), 0);
});

test('of many parts are loaded by one question, and ends without entries cost no statement', async () => {
  const stepsOfMonth = Math.round((31 * 86_400_000_000) / stepMicros);
  for (const dataset of ['monthly', 'again']) {
    const months = Array.from({ length: 10 }, (_, month) => makeEntry(month * stepsOfMonth, dataset));
    await insertEntries(slots.store, months);
  }
  await slots.merge();
  const counts = slots.openCounts();
  await fill(counts);
  const filter = { ...everyEntry, datasets: ['again'], fromMicros: at(-0.3), toMicros: at(90_000.2) };
  const ask = () => counts.count({ filter, field: 'dataset', signal });
  assert.equal(await slots.countStatements(ask), 0);
  assert.deepEqual(await ask(), new Map([['again', 10]]));
  await slots.beginAnew();
});

test('are not used without a whole slot, and for conditions on other fields', async () => {
  const counts = slots.openCounts();
  await fill(counts);
  const within = { fromMicros: at(1.6), toMicros: at(2.4) };
  assert.equal(await counts.count({ filter: { ...everyEntry, ...within }, field: 'level', signal }), null);
  for (const text of ['entry', 'player.id:1', 'level:error entry']) {
    const filter = { ...everyEntry, condition: parse(text) };
    assert.equal(await counts.count({ filter, field: 'level', signal }), null, text);
  }
});

const changes: Record<string, () => Promise<void>> = {
  'an insert': () => slots.insert('meanwhile', 3),
  'a merge': () => slots.merge(),
  'a deletion': () => slots.remove("body LIKE '%9'", ({ body }) => body.endsWith('9')),
};
for (const [name, change] of Object.entries(changes))
  test(`are not used if they may miss ${name} during the statement`, async () => {
    await slots.insert(name);
    const counts = slots.openCounts();
    await fill(counts);
    const filter = { ...everyEntry, fromMicros: at(0.5), toMicros: at(3.5) };
    slots.intervene = async () => {
      slots.intervene = async () => {};
      await change();
    };
    assert.equal(await counts.count({ filter, field: 'level', signal }), null);
    const found = await counts.count({ filter, field: 'level', signal });
    assert.deepEqual(found, slots.countByHand(filter, 'level'));
  });

test('are exact for a part that takes the name of a dropped one after a restart', async () => {
  await slots.merge();
  let endpoint = slots.store.shards[0].endpoint();
  const counts = slots.openCounts({ endpoint: () => endpoint, onUp: () => () => {} });
  await fill(counts);
  endpoint = endpoint && { ...endpoint };
  assert.equal(
    await slots.countStatements(() => counts.count({ filter: everyEntry, field: 'level', signal })),
    1,
  );
  assert.deepEqual(
    await counts.count({ filter: everyEntry, field: 'level', signal }),
    slots.countByHand(everyEntry, 'level'),
  );
});

test('are between those before and after, while entries are inserted and parts merged', async () => {
  const counts = slots.openCounts();
  await slots.merge();
  await fill(counts);
  let isOver = false;
  const merging = (async () => {
    while (!isOver) await slots.merge();
  })();
  let answered = 0;
  const total = (found: Map<string, number>) => found.values().reduce((sum, each) => sum + each, 0);
  const inserting = (async () => {
    for (let round = 0; round < 40; round++) await slots.insert('busy', 20);
    isOver = true;
  })();
  while (!isOver) {
    const before = slots.stored.length;
    const found = await counts.count({ filter: everyEntry, field: 'dataset', signal });
    if (found === null) continue;
    answered++;
    // An insert becomes visible before the test counts it.
    assert.ok(
      total(found) >= before && total(found) <= slots.stored.length + 20,
      `${before} ${total(found)}`,
    );
  }
  await Promise.all([merging, inserting]);
  assert.ok(answered > 0);
});

test('of a part with too many rows are left to the engine', async () => {
  const wide = Array.from({ length: 20_100 }, (_, index) => {
    const { entry } = makeEntry(index, 'wide');
    return { project: 'two', entry: { ...entry, resource: `${index}` } };
  });
  await insertEntries(slots.store, wide);
  await slots.merge();
  const counts = slots.openCounts();
  const filter = { ...everyEntry, project: 'two' };
  for (let round = 0; round < 3; round++) {
    await counts.count({ filter, field: 'level', signal });
    await counts.waitUntilLoaded();
  }
  // The part is read like one without kept counts.
  assert.equal(await slots.countStatements(() => counts.count({ filter, field: 'level', signal })), 1);
  const found = await counts.count({ filter, field: 'level', signal });
  assert.equal(
    found?.values().reduce((sum, each) => sum + each, 0),
    20_100,
  );
});
