/** The state of a rule between two evaluations: plain data, so that another process can continue. */
import type { Buckets } from './windows.ts';

/** The state of one value of a grouped rule, or of the whole rule. Times are milliseconds of the clock by which entries arrive. */
export type ValueState = {
  buckets: Buckets;
  /** null: it does not fire. */
  firedAt: number | null;
  /** The end of the last bucket with which it was fulfilled. */
  fulfilledAt: number;
  /** For grouped rules: when the value first came. Absent: in states from before this was recorded. */
  seenAt?: number;
};

export type RuleState = {
  /** Judged up to here. */
  at: number;
  values: Readonly<Record<string, ValueState>>;
  /** Whether there were more values than are counted separately. */
  isCrowded: boolean;
};

/** How many entries with a value arrived in the bucket that begins then. */
export type Tally = { ms: number; value: string; count: number };

/** `count` is that of the window. */
export type Transition = {
  kind: 'fired' | 'resolved';
  value: string;
  at: number;
  count: number;
  /** Present: an issue that had been resolved. */
  isReturn?: true;
};

export const valuesMax = 100; // CONTRACT.md, 10: one state a value

export function emptyState(at: number): RuleState {
  return { at, values: {}, isCrowded: false };
}

/** Moves the state in time, for a clock that was put forward or back. */
export function moveState({ at, values, isCrowded }: RuleState, byMs: number): RuleState {
  const moved = Object.entries(values).map(([value, { buckets, firedAt, fulfilledAt, seenAt }]) => {
    const state: ValueState = {
      buckets: buckets.map(([ms, count]) => [ms + byMs, count] as const),
      firedAt: firedAt === null ? null : firedAt + byMs,
      fulfilledAt: fulfilledAt + byMs,
      ...(seenAt !== undefined && { seenAt: seenAt + byMs }),
    };
    return [value, state] as const;
  });
  return { at: at + byMs, values: Object.fromEntries(moved), isCrowded };
}
