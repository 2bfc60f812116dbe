/** The engine itself refuses an insert that begins too late. A repeat in time adds only what is missing. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { createStamper, systemMicros, writePlainItems } from '@tapedeck/log-entries';
import { countMessages, openStore } from '../../../tests/engines.ts';
import { silentLog } from '../../../tests/rows.ts';
import { createColumns, encodeBlock } from '../../blocks/native.ts';
import { openBatchesOf } from '../../intake/batches.ts';
import { joinBlocks } from '../../journal/bucket/segmentObject.ts';
import type { Segment } from '../../journal/journal.ts';
import { createAgents } from '../engine/requests.ts';
import { insertSegment } from './segmentInsert.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-late-'));
const store = await openStore(directory);
const agents = createAgents(1_000);
after(async () => {
  agents.http.destroy();
  await store[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});
const deps = { log: silentLog, agents, deletions: null, confirm: async () => {} };
const stamper = createStamper(systemMicros);
const soonMs = 600_000;

function makeSegment(name: string, messages: readonly string[]): Segment {
  const columns = createColumns();
  const batch = openBatchesOf({ requireColumns: () => columns, enter: async () => {} })(
    { project: 'arena', dataset: 'game', retentionDays: null },
    { isKeyed: false },
  );
  const rules = { range: { fromMicros: 0, toMicros: systemMicros() }, levelSynonyms: null };
  const items = messages.map(message => ({ level: 'info', message }));
  writePlainItems({ batch, stamper, rules }, Buffer.from(JSON.stringify(items)));
  void batch.commit(null);
  const block = Buffer.concat(encodeBlock(columns));
  const { rows, range } = columns;
  return joinBlocks(name, [{ block, rows, range, registeredAt: Date.now(), isSpread: false }]);
}

async function count(...messages: readonly string[]): Promise<number[]> {
  const counted = await countMessages(store.engine);
  return messages.map(message => counted.get(message) ?? 0);
}

test('stores nothing when too late, and once in time, however often it is repeated', async () => {
  const segment = makeSegment('late', ['a', 'b']);
  const late = insertSegment(deps, store.engine, { segment, until: Date.now() - 1_000 });
  await assert.rejects(late, /too late/);
  assert.deepEqual(await count('a', 'b'), [0, 0]);
  for (let time = 0; time < 3; time++) {
    segment.isUncertain = true;
    await insertSegment(deps, store.engine, { segment, until: Date.now() + soonMs });
  }
  assert.deepEqual(await count('a', 'b'), [1, 1]);
  segment.isUncertain = true;
  await assert.rejects(insertSegment(deps, store.engine, { segment, until: Date.now() - 1_000 }), /too late/);
  assert.deepEqual(await count('a', 'b'), [1, 1]);
});

test('concurrent inserts under one name store its entries once', async () => {
  const messages = Array.from({ length: 500 }, (_, index) => `crowd ${index}`);
  const segment = makeSegment('crowd', messages);
  const attempts = Array.from({ length: 6 }, () =>
    insertSegment(deps, store.engine, { segment: { ...segment }, until: Date.now() + soonMs }),
  );
  const ended = await Promise.allSettled(attempts);
  assert.ok(ended.some(({ status }) => status === 'fulfilled'));
  assert.deepEqual(new Set(await count(...messages)), new Set([1]));
});
