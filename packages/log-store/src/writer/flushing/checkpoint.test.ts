/** Segments leave the journal without a further request, however slow the disk is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLog } from '../../../tests/rows.ts';
import type { Segment } from '../../journal/journal.ts';
import { Checkpoints } from './checkpoint.ts';

const intervalMs = 2_000;

test('a segment that arrives during a slow checkpoint goes into the next one', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const syncs: (() => void)[] = [];
  const forgotten: string[] = [];
  const checkpoints = new Checkpoints({
    log: silentLog,
    parts: { sync: () => new Promise<void>(resolve => syncs.push(resolve)) },
    forget: ({ name }) => forgotten.push(name),
  });
  const add = (name: string) => checkpoints.add({ name, length: 100 } as Segment); // it looks at no other fields
  const pass = async () => {
    t.mock.timers.tick(intervalMs);
    await nextTurn();
  };
  add('first');
  await pass();
  add('second');
  await pass(); // the checkpoint of the first is still running
  assert.equal(syncs.length, 1);
  syncs[0]?.();
  await nextTurn();
  assert.deepEqual(forgotten, ['first']);
  await pass();
  assert.equal(syncs.length, 2);
  syncs[1]?.();
  await nextTurn();
  assert.deepEqual(forgotten, ['first', 'second']);
});
