/** Lines that a follower already has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SentLines } from './sentLines.ts';

const line = (text: string, service = 'game') => ({
  micros: 1_700_000_000_000_000,
  text,
  stream: [['service_name', service]] as const,
  metadata: [],
  parsed: [],
});

test('recognises each line once, also by its labels', async () => {
  const known = new SentLines();
  const long = line('x'.repeat(60_000));
  await known.remember([line('tick'), line('tick'), long]);
  const others = [line('tick', 'other'), line('tock'), line('x'.repeat(60_000), 'other')];
  assert.deepEqual(await known.selectNew(others), others);
  assert.deepEqual(await known.selectNew([line('tick'), long, line('tick')]), []);
  assert.deepEqual(await known.selectNew([line('tick'), long]), [line('tick'), long]);
});

test('long lines do not use memory for as long as a client follows', async () => {
  const lines = Array.from({ length: 400 }, (_, index) => line(`${'x'.repeat(60_000)}${index}`));
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // the flag provides it
  collect();
  const known = new SentLines();
  await known.remember(lines);
  const held = process.memoryUsage().heapUsed;
  lines.length = 0;
  collect();
  assert.ok(held - process.memoryUsage().heapUsed > 20_000_000); // the texts took twenty-four million
  assert.deepEqual(await known.selectNew([line(`${'x'.repeat(60_000)}7`)]), []);
});
