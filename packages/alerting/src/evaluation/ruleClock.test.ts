/** Where rules continue after the log store's clock was set back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '../ports/records.ts';
import { RuleClock } from './ruleClock.ts';
import { beginWatch } from './ruleState.ts';
import type { Watched } from './watchedRule.ts';

const evaluatedMs = 100_000;
const marginMs = 50; // of both readings

function makeWatched(at: number): Watched {
  const rule = { id: 'one', generation: at } as Rule; // the clock reads no more of it
  return { rule, watch: { ...beginWatch(rule), firing: [firing] }, storedAt: null };
}

const firing = { value: '', since: evaluatedMs - 5_000, count: 1, isTold: true };

for (const [title, afterMs, showsMs, expectedMs] of [
  ['stays where it is while the clock goes on', 3_000, 103_000, evaluatedMs],
  ['stays where it is if the clock is set ahead', 3_000, 903_000, evaluatedMs],
  ['returns to the begin of a step back that is shorter than the pause', 3_000, 101_000, 98_000],
  ['returns to the begin of a longer step back', 3_000, 93_500, 90_500],
  ['returns to the begin of a step back by a day', 3_000, 103_000 - 86_400_000, 100_000 - 86_400_000],
] as const) {
  test(`a rule ${title}`, () => {
    const clock = new RuleClock();
    const startedAtMs = performance.now();
    const read = (passedMs: number, shownMs: number) => {
      const requestedAtMs = startedAtMs + passedMs;
      const reading = { micros: shownMs * 1_000, requestedAtMs, receivedAtMs: requestedAtMs + 1 };
      return clock.follow([makeWatched(evaluatedMs)], reading, shownMs);
    };
    read(0, evaluatedMs);
    const [moved] = read(afterMs, showsMs);
    const { at } = moved!.watch.windows;
    assert.ok(Math.abs(at - expectedMs) <= marginMs, `${at}`);
    assert.equal(moved!.watch.firing[0]!.since, firing.since + at - evaluatedMs, 'what fires moves with it');
    const [later] = read(afterMs + 3_000, showsMs + 3_000);
    if (showsMs > evaluatedMs) assert.equal(later!.watch.windows.at, evaluatedMs, 'once');
  });
}
