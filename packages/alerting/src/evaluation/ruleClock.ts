/** Moves the states of rules back when the log store's clock was set back. Otherwise they would miss what arrives until it shows the same time again. */
import { type ClockReading, StoreClock } from '@tapedeck/log-entries';
import { moveState } from '../windows/states.ts';
import type { Watched } from './watchedRule.ts';

const clockToleranceMs = 1_000; // clocks of several servers differ

export class RuleClock {
  readonly #clock = new StoreClock();
  #readAtMs = performance.now();

  /** Call this with each reading of the store's clock, and the time up to which its entries are complete. Returns the rules to evaluate. */
  follow(rules: readonly Watched[], reading: ClockReading, settledMs: number): Watched[] {
    const elapsedMs = Math.round(reading.receivedAtMs - this.#readAtMs);
    this.#readAtMs = reading.receivedAtMs;
    const step = this.#clock.read(reading);
    // Where arrival times repeat. Another process may have evaluated a rule before the step, which this one then did not see.
    const repeatedMs = step === null ? Number.POSITIVE_INFINITY : Math.floor(step.fromMicros / 1000);
    const nowMs = Math.floor(reading.micros / 1000);
    return rules.map(watched => {
      const { at } = watched.watch.windows;
      if (nowMs < at - clockToleranceMs) return moveBack(watched, settledMs - elapsedMs);
      return at > repeatedMs ? moveBack(watched, repeatedMs) : watched;
    });
  }
}

function moveBack(watched: Watched, atMs: number): Watched {
  const { watch } = watched;
  const byMs = atMs - watch.windows.at;
  const firing = watch.firing.map(one => ({ ...one, since: one.since + byMs }));
  return { ...watched, watch: { ...watch, windows: moveState(watch.windows, byMs), firing } };
}
