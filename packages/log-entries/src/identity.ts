/** Gives entries their times and identities: unique, ordered by time, and in the order of the request. */
import { randomBytes } from 'node:crypto';
import { entryLimits } from './limits.ts';
import type { EntryStamp } from './rows.ts';

/** Gives each entry its time of receipt and its identity. Create only one per process. */
export type Stamper = {
  /** Call this before the entries of a request. */
  begin(): void;
  /** Makes the identities since `begin` available again. Call it only if none of those entries will be stored. */
  takeBack(): void;
  /** Sets the time of receipt, which is at least a microsecond after the previous one, unless the clock was set back in between. */
  stampTime(row: EntryStamp): void;
  /** Sets the lower half of the traceId, which grows from entry to entry. */
  stampIdentity(row: EntryStamp): void;
};

// The lower half of a traceId: two bits of the UUID's variant, 22 random bits, and a 40-bit counter. Unlike 62 random bits, it is
// guaranteed to be unique within the process, keeps the order of entries with equal times, and compresses well.
const variant = 0x80000000;
const counterHighMax = 0xff;
const wordRange = 2 ** 32;
const leadMicrosMax = 10_000_000; // a burst of entries runs ahead of the clock by far less

export function createStamper(nowMicros: () => number): Stamper {
  let arrivedAt = 0;
  let lastTime = 0;
  let prefix = 0;
  let counterHigh = counterHighMax;
  let counterLow = wordRange;
  let beginning = { lastTime, counterHigh, counterLow };
  return {
    begin() {
      arrivedAt = nowMicros();
      // Entries stay in order while the clock is corrected by little. After it was far ahead, true times matter more.
      if (lastTime - arrivedAt > leadMicrosMax) lastTime = 0;
      // Prevents the counter from wrapping within a request.
      if (counterHigh === counterHighMax && counterLow > wordRange - entryLimits.requestItemsMax) {
        const random = randomBytes(8);
        prefix = variant + (random.readUInt32LE(0) >>> 10) * 0x100;
        counterHigh = 0;
        counterLow = random.readUInt32LE(4);
      }
      beginning = { lastTime, counterHigh, counterLow };
    },
    takeBack() {
      ({ lastTime, counterHigh, counterLow } = beginning);
    },
    stampTime(row) {
      lastTime = Math.max(arrivedAt, lastTime + 1);
      row.timestampMicros = lastTime;
    },
    stampIdentity(row) {
      if (counterLow >= wordRange) {
        counterLow = 0;
        counterHigh++;
      }
      row.identityHigh = prefix + counterHigh;
      row.identityLow = counterLow++;
    },
  };
}

/** Returns the system time in microseconds. The clock has only milliseconds; the finer part comes from the process's timer. */
export function systemMicros(): number {
  const millis = Date.now();
  const fine = Math.floor((performance.timeOrigin + performance.now()) * 1000);
  // Setting the clock makes the timer differ from it; the clock wins.
  return Math.min(Math.max(fine, millis * 1000), millis * 1000 + 999);
}

/** Returns the 32 hexadecimal digits that clients see: a UUIDv7 with the microseconds after its version. */
export function formatTraceId({ timestampMicros, identityHigh, identityLow }: EntryStamp): string {
  const millis = Math.floor(timestampMicros / 1000);
  const micros = timestampMicros - millis * 1000;
  return `${hex(millis, 12)}7${hex(micros, 3)}${hex(identityHigh, 8)}${hex(identityLow, 8)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
