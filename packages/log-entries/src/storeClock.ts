/** Notices when the log store's clock was set back, by comparing its readings with the monotonic clock. */

/** A reading of the store's clock. It was taken between both times, which are readings of the monotonic clock. */
export type ClockReading = { micros: number; requestedAtMs: number; receivedAtMs: number };

/** Arrival times repeat: those from `fromMicros` to `toMicros` may belong to entries of before and after the step. */
export type ClockStep = { fromMicros: number; toMicros: number };

const toleranceMicros = 10_000; // of the readings
const driftShare = 1 / 1_000; // clocks are corrected by at most half of it without a step

export class StoreClock {
  #last: ClockReading | null = null;

  /** Returns the step if the clock was set back since the last reading, even if it has passed the last reading again. */
  read(reading: ClockReading): ClockStep | null {
    const last = this.#last;
    this.#last = reading;
    if (last === null) return null;
    const passedMicros = {
      least: (reading.requestedAtMs - last.receivedAtMs) * 1_000,
      most: (reading.receivedAtMs - last.requestedAtMs) * 1_000,
    };
    const tolerated = toleranceMicros + passedMicros.most * driftShare;
    if (reading.micros >= last.micros + passedMicros.least - tolerated) return null;
    const toMicros = last.micros + Math.ceil(passedMicros.most);
    // At worst the step came right after the last reading.
    return { fromMicros: last.micros - (toMicros - reading.micros), toMicros };
  }
}
