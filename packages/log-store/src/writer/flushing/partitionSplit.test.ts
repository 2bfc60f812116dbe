/** Queries and inserts into several partitions take turns: neither sees the other half done, and neither waits forever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartitionSplit } from './partitionSplit.ts';

const never = new AbortController().signal;
const lookMs = 90; // a timer may fire slightly early
const longMs = 10_000;

/** Keeps the events so far, in order. */
function keepRecord() {
  const record: string[] = [];
  const note = (what: string) => () => void record.push(what);
  return { record, note };
}

test('a query starts at once without an insert, and the next insert waits for its look', async () => {
  const spreading = new PartitionSplit();
  const startedAt = performance.now();
  await spreading.begin(never);
  assert.ok(performance.now() - startedAt < lookMs, 'nobody had asked');
  spreading.end();
  const askedAt = performance.now();
  await spreading.waitForWholeBatches(longMs);
  await spreading.begin(never);
  assert.ok(performance.now() - askedAt >= lookMs);
  spreading.end();
});

test('a query waits for the insert, and the next insert for the look of the query', async () => {
  const spreading = new PartitionSplit();
  const { record, note } = keepRecord();
  await spreading.begin(never);
  const asked = spreading.waitForWholeBatches(longMs).then(note('question'));
  const endedAt = performance.now();
  spreading.end();
  await spreading.begin(never).then(note('insert'));
  await asked;
  assert.deepEqual(record, ['question', 'insert']);
  assert.ok(performance.now() - endedAt >= lookMs);
  spreading.end();
});

test('continuously overlapping inserts let waiting queries through', async () => {
  const spreading = new PartitionSplit();
  const { record, note } = keepRecord();
  await Promise.all([spreading.begin(never), spreading.begin(never)]);
  const asked = spreading.waitForWholeBatches(longMs).then(note('question'));
  spreading.end();
  const begun = spreading.begin(never).then(note('insert'));
  await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual(record, [], 'the other insert is under way');
  spreading.end();
  await Promise.all([asked, begun]);
  assert.deepEqual(record, ['question', 'insert']);
  spreading.end();
});

test('inserts overlap while no query waits', async () => {
  const spreading = new PartitionSplit();
  await Promise.all([spreading.begin(never), spreading.begin(never)]);
  spreading.end();
  await spreading.begin(never);
  spreading.end();
  spreading.end();
  await spreading.waitForWholeBatches(longMs);
});

test('rejects queries that wait too long or are aborted', async () => {
  const spreading = new PartitionSplit();
  await spreading.begin(never);
  await assert.rejects(spreading.waitForWholeBatches(1), { code: 'overloaded', retryAfterSeconds: 2 });
  const leaver = new AbortController();
  const left = spreading.waitForWholeBatches(longMs, leaver.signal);
  leaver.abort(new Error('gone'));
  await assert.rejects(left, { message: 'gone' });
  await assert.rejects(spreading.waitForWholeBatches(longMs, leaver.signal), { message: 'gone' });
  spreading.end();
});

test("stopping ends an insert's wait for a look or another insert", async () => {
  const spreading = new PartitionSplit();
  await spreading.waitForWholeBatches(longMs);
  const stopping = new AbortController();
  const begun = spreading.begin(stopping.signal);
  const asked = assert.rejects(spreading.waitForWholeBatches(50), { code: 'overloaded' });
  const behind = spreading.begin(stopping.signal);
  stopping.abort();
  const abortedAt = performance.now();
  await Promise.all([begun, behind]);
  assert.ok(performance.now() - abortedAt < lookMs);
  await asked;
});
