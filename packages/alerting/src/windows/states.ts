/** The state of a rule between two evaluations: plain data, so that another process can continue. */
import type { Buckets } from './windows.ts';

/** The state of one value of a grouped rule, or of the whole rule. Times are milliseconds of the arrival clock. */
export type ValueState = {
  buckets: Buckets;
  /** null: not firing. */
  firedAt: number | null;
  /** The end of the last bucket that fulfilled the condition. */
  fulfilledAt: number;
  /** For grouped rules: when the value first arrived. States saved by older versions lack it. */
  seenAt?: number;
};

export type RuleState = {
  /** Evaluated up to this time. */
  at: number;
  values: Readonly<Record<string, ValueState>>;
  /** Whether there were more values than the rule tracks. */
  isCrowded: boolean;
};

/** The number of entries with a value in the bucket that begins at `ms`. */
export type Tally = { ms: number; value: string; count: number };

/** `count` is the window's. */
export type Transition = {
  kind: 'fired' | 'resolved';
  value: string;
  at: number;
  count: number;
  /** Present if a resolved issue came back. */
  isReturn?: true;
};

export const valuesMax = 100; // CONTRACT.md, 10: one state a value

export function emptyState(at: number): RuleState {
  return { at, values: {}, isCrowded: false };
}

/** Shifts the state in time after the clock was set forward or back. */
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
