/** Steps of the log store's clock, as readings of it tell them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClockStep, StoreClock } from './storeClock.ts';

const second = 1_000_000;

/** Readings at zero and at `afterMs`; each takes 2 ms. The clock shows 100 s at first. */
const rows: { name: string; afterMs: number; shows: number; step: ClockStep | null }[] = [
  { name: 'a clock that goes on', afterMs: 500, shows: 100.5, step: null },
  { name: 'a clock that was set ahead', afterMs: 500, shows: 900, step: null },
  { name: 'a clock that is slowed down for an hour', afterMs: 3_600_000, shows: 3_698.2, step: null },
  {
    name: 'a clock that was set back by an hour',
    afterMs: 500,
    shows: 100.5 - 3_600,
    step: { fromMicros: -3_500 * second - 2_000, toMicros: 100.502 * second },
  },
  {
    name: 'a clock that was set back by 0.3 s, and has passed its last reading',
    afterMs: 500,
    shows: 100.2,
    step: { fromMicros: 99.698 * second, toMicros: 100.502 * second },
  },
];

for (const { name, afterMs, shows, step } of rows) {
  test(name, () => {
    const clock = new StoreClock();
    assert.equal(clock.read({ micros: 100 * second, requestedAtMs: 0, receivedAtMs: 2 }), null);
    const reading = { micros: shows * second, requestedAtMs: afterMs, receivedAtMs: afterMs + 2 };
    assert.deepEqual(clock.read(reading), step);
    const later = { ...reading, micros: reading.micros + second };
    const times = { requestedAtMs: afterMs + 1_000, receivedAtMs: afterMs + 1_002 };
    assert.equal(clock.read({ ...later, ...times }), null, 'the step is told once');
  });
}
