/** What is known of the sums of a kind while a service runs, and which of them pages may be answered from. */
import type { SummedKind } from '../../logQueries.ts';
import { countRows, countSummed, type DayEntries, listPieces, type SumLedger } from './ledger.ts';

/** The sums of a kind, of everything that arrived before the end but for the missing days. */
export type PartialSums = {
  list: number;
  endMicros: number;
  /** How many arrived before the end, those of missing days among them. */
  entries: number;
  pieces: readonly number[];
  /** How often replaced pieces had been removed. */
  removals: number;
  missingDays: readonly number[];
};

/** Without missing days. */
export type ReadySums = PartialSums;

export type KnownSums = {
  kind: SummedKind;
  name: string;
  list: number;
  ledger: SumLedger;
  /** null while something is missing, or in doubt. */
  ready: ReadySums | null;
  /** While sums are made: those of the days that are done. */
  partial: PartialSums | null;
  /** Whether pieces were replaced since the round before. */
  hasRemains: boolean;
  removals: number;
  /** Whether the engine could not read the sums. */
  isBroken: boolean;
  /** Until when no sums are made, because they would save nothing; by the clock of the process. */
  restsUntilMs: number;
};

const rowsUsefulMin = 100_000;
const rowsShareMax = 0.9; // sums that are as many as entries save nothing

/** Whether pages may be answered from it at all. */
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

/** null where no day is done, which saves nothing. */
export function describePartial(
  known: KnownSums,
  missing: ReadonlyMap<number, DayEntries>,
): PartialSums | null {
  if (known.ledger.days.size === 0) return null;
  const entries = missing.values().reduce((sum, day) => sum + day.entries, countSummed(known.ledger));
  return { ...describeReady(known), entries, missingDays: [...missing.keys()] };
}
