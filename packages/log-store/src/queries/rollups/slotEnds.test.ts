/** Tests that ranges whose ends stay near each other are counted without a statement, and exactly. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { LogFilter } from '@tapedeck/log-entries';
import { insertEntries } from '../../../tests/clickhouse.ts';
import { at, everyEntry, makeEntry, parse, SlotStore, signal } from '../../../tests/slotCounting.ts';
import { slotMicros } from '../../writer/schema/schema.ts';
import type { SlotCounts } from './slotCounts.ts';

let slots: SlotStore;
before(async () => {
  slots = await SlotStore.open();
});
after(() => slots[Symbol.asyncDispose]());

const ends = { fromMicros: at(0.6), toMicros: at(3.3) };

/** Moves both ends by microseconds, so that no range is asked for twice. */
function moveRange(turn: number): LogFilter {
  return { ...everyEntry, fromMicros: ends.fromMicros + turn, toMicros: ends.toMicros - turn };
}

/** Asks until all is cached: for the counts, for each end the first time, and for each end again. */
async function load(counts: SlotCounts, project = 'one'): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    await counts.count({ filter: { ...moveRange(turn), project }, field: 'level', signal });
    await counts.waitUntilLoaded();
  }
}

test('are read again and again by the engine only as long as they are not cached', async () => {
  await slots.beginAnew();
  const counts = slots.openCounts();
  const ask = (turn: number) => () => counts.count({ filter: moveRange(turn), field: 'resource', signal });
  await load(counts);
  assert.equal(await slots.countStatements(ask(10)), 0);
  const other = { ...everyEntry, fromMicros: at(1.6), toMicros: at(3.4) };
  assert.equal(
    await slots.countStatements(() => counts.count({ filter: other, field: 'level', signal })),
    1,
    'one end is near, and the other one is not',
  );
});

const conditions = ['', 'level:error', '-resource:"server 1"', 'dataset:other level:info', 'resource:""'];

async function compareRandom(counts: SlotCounts): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    const [from, to] = [Math.random(), Math.random()].map(share => Math.floor(share * 0.4 * slotMicros));
    const filter = {
      ...everyEntry,
      fromMicros: at(turn % 2 === 0 ? 0.6 : 1) + (from ?? 0),
      toMicros: at(3) + (to ?? 0),
      condition: parse(conditions[turn % conditions.length] ?? ''),
      datasets: turn % 3 === 0 ? ['game', 'new'] : null,
    };
    const found = await counts.count({ filter, field: 'resource', signal });
    assert.deepEqual(found, slots.countByHand(filter, 'resource'), `${filter.fromMicros} ${filter.toMicros}`);
  }
}

test('give exact counts for random ranges, whatever happens to the parts', async () => {
  const counts = slots.openCounts();
  const states: Record<string, () => Promise<void>> = {
    'two merged datasets': async () => {},
    'a new part': () => slots.insert('new', 600),
    'all merged': () => slots.merge(),
    'entries deleted': () => slots.remove("body LIKE '%3'", ({ body }) => body.endsWith('3')),
    'a dataset deleted': () => slots.remove("dataset = 'game'", ({ dataset }) => dataset === 'game'),
  };
  for (const reach of Object.values(states)) {
    await reach();
    await load(counts);
    await compareRandom(counts);
  }
  const ask = () => counts.count({ filter: moveRange(20), field: 'level', signal });
  assert.equal(await slots.countStatements(ask), 0);
});

test('belong to one project', async () => {
  const { entry } = makeEntry(90, 'game'); // near the first end
  const later = makeEntry(200, 'game').entry;
  await insertEntries(
    slots.store,
    [entry, later].map(each => ({ project: 'two', entry: each })),
  );
  await slots.merge();
  const counts = slots.openCounts();
  for (const project of ['one', 'two']) await load(counts, project);
  const found = await counts.count({ filter: { ...moveRange(7), project: 'two' }, field: 'dataset', signal });
  assert.deepEqual(found, new Map([['game', 2]]));
});

test('are exact after a restart, once the parts have been listed again', async () => {
  let endpoint = slots.store.shards[0].endpoint();
  const counts = slots.openCounts({ endpoint: () => endpoint, onUp: () => () => {} });
  await load(counts);
  endpoint = endpoint && { ...endpoint };
  const ask = () => counts.count({ filter: moveRange(9), field: 'level', signal });
  assert.equal(await slots.countStatements(ask), 1);
  assert.deepEqual(await ask(), slots.countByHand(moveRange(9), 'level'));
});

test('are those before or after an insert and a merge that come meanwhile', async () => {
  const counts = slots.openCounts();
  await slots.merge();
  await load(counts);
  const [first, second] = [moveRange(11), moveRange(12)];
  const earlier = slots.countByHand(first, 'level');
  const asked = counts.count({ filter: first, field: 'level', signal });
  await Promise.all([asked, slots.insert('meanwhile', 300)]);
  await slots.merge();
  const found = await asked;
  const answers = [null, earlier, slots.countByHand(first, 'level')];
  assert.ok(answers.some(answer => isDeepStrictEqual(found, answer)));
  assert.deepEqual(
    await counts.count({ filter: second, field: 'level', signal }),
    slots.countByHand(second, 'level'),
  );
});
