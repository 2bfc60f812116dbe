/** The state of a kind's sums in memory, and the sums that pages may use. */
import type { SummedKind } from '../../logQueries.ts';
import { countRows, countSummed, type DayEntries, listPieces, type SumLedger } from './ledger.ts';

/** The sums of a kind over everything that arrived before the end, except for the missing days. */
export type PartialSums = {
  list: number;
  endMicros: number;
  /** The number of entries that arrived before the end, including missing days. */
  entries: number;
  pieces: readonly number[];
  /** The number of times that replaced pieces had been removed. */
  removals: number;
  missingDays: readonly number[];
};

/** Sums without missing days. */
export type ReadySums = PartialSums;

export type KnownSums = {
  kind: SummedKind;
  name: string;
  list: number;
  ledger: SumLedger;
  /** null while sums are incomplete or in doubt. */
  ready: ReadySums | null;
  /** The finished days while sums are being made; otherwise null. */
  partial: PartialSums | null;
  /** Whether pieces were replaced since the last round. */
  hasRemains: boolean;
  removals: number;
  /** Whether the engine failed to read the sums. */
  isBroken: boolean;
  /** No sums are made until then, because they would save nothing. In milliseconds of the process's clock. */
  restsUntilMs: number;
};

const rowsUsefulMin = 100_000;
const rowsShareMax = 0.9; // sums save nothing if they have almost as many rows as entries

/** Whether pages may use these sums at all. */
export function isUseful(ledger: SumLedger): boolean {
  const rows = ledger.days.values().reduce((sum, day) => sum + countRows(day), 0);
  return rows < rowsUsefulMin || rows <= rowsShareMax * countSummed(ledger);
}

export function describeReady({ list, ledger, removals }: KnownSums): ReadySums {
  return {
    list,
    removals,
    endMicros: ledger.endMicros,
    entries: countSummed(ledger),
    pieces: listPieces(ledger),
    missingDays: [],
  };
}

/** Describes the finished days; null if no day is done, since that saves nothing. */
export function describePartial(
  known: KnownSums,
  missing: ReadonlyMap<number, DayEntries>,
): PartialSums | null {
  if (known.ledger.days.size === 0) return null;
  const entries = missing.values().reduce((sum, day) => sum + day.entries, countSummed(known.ledger));
  return { ...describeReady(known), entries, missingDays: [...missing.keys()] };
}
