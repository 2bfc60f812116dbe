/** Advances a rule's state over any span of time, with the same transitions as frequent evaluations would give. */
import { type RuleState, type Tally, type Transition, type ValueState, valuesMax } from './states.ts';
import {
  type Bucket,
  findBucketMs,
  findMemoryMs,
  fulfils,
  type WindowCondition,
  WindowCounts,
} from './windows.ts';

export type WatchedRule = {
  condition: WindowCondition;
  windowMs: number;
  /** Earlier arrivals do not count. */
  since: number;
  /** Whether each value of a field has a state; otherwise all tallies have the value ''. */
  isSplit: boolean;
};

/** The tallies cover arrivals from `state.at` until just before `until`. Transitions are in time order. */
export function advance(
  rule: WatchedRule,
  state: RuleState,
  { tallies, until }: { tallies: readonly Tally[]; until: number },
): { state: RuleState; transitions: Transition[] } {
  if (until <= state.at) return { state, transitions: [] };
  const arrived = Map.groupBy(tallies, ({ value }) => value);
  const known = rule.isSplit ? Object.keys(state.values) : [''];
  const admitted = [...known, ...admit(known, arrived)];
  // Entries choose the values, so `__proto__` is possible.
  const before = new Map(Object.entries(state.values));
  const values: [string, ValueState][] = [];
  const transitions: Transition[] = [];
  for (const value of admitted) {
    const evaluation = new ValueEvaluation(rule, value, before.get(value));
    evaluation.advance(arrived.get(value) ?? [], { from: state.at, until });
    transitions.push(...evaluation.transitions);
    if (evaluation.isMemorable(until)) values.push([value, evaluation.state]);
  }
  transitions.sort((one, other) => one.at - other.at);
  const isCrowded = state.isCrowded || [...arrived.keys()].some(value => !admitted.includes(value));
  return { state: { at: until, values: Object.fromEntries(values), isCrowded }, transitions };
}

/** Adds the most frequent new values while there is room. */
function admit(known: readonly string[], arrived: ReadonlyMap<string, readonly Tally[]>): string[] {
  return [...arrived]
    .filter(([value]) => !known.includes(value))
    .map(([value, tallies]) => ({ value, count: tallies.reduce((sum, tally) => sum + tally.count, 0) }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, Math.max(0, valuesMax - known.length))
    .map(({ value }) => value);
}

const forgottenAfterMs = 7 * 86_400_000; // a retired server stops firing after a week

class ValueEvaluation {
  readonly transitions: Transition[] = [];
  readonly #rule: WatchedRule;
  readonly #value: string;
  readonly #bucketMs: number;
  readonly #buckets: Bucket[];
  readonly #counts: WindowCounts;
  readonly #countsBefore: WindowCounts;
  #firedAt: number | null;
  #fulfilledAt: number;
  /** null: the value has not arrived yet. */
  #seenAt: number | null;

  constructor(rule: WatchedRule, value: string, state: ValueState | undefined) {
    this.#rule = rule;
    this.#value = value;
    this.#bucketMs = findBucketMs(rule.windowMs, rule.isSplit);
    this.#buckets = [...(state?.buckets ?? [])];
    this.#counts = new WindowCounts(this.#buckets, rule.windowMs);
    this.#countsBefore = new WindowCounts(this.#buckets, rule.windowMs);
    this.#firedAt = state?.firedAt ?? null;
    this.#fulfilledAt = state?.fulfilledAt ?? 0;
    this.#seenAt = rule.isSplit && state === undefined ? null : (state?.seenAt ?? rule.since);
  }

  get state(): ValueState {
    const judged = { buckets: this.#buckets, firedAt: this.#firedAt, fulfilledAt: this.#fulfilledAt };
    return this.#rule.isSplit && this.#seenAt !== null ? { ...judged, seenAt: this.#seenAt } : judged;
  }

  advance(tallies: readonly Tally[], { from, until }: { from: number; until: number }): void {
    const { condition, windowMs } = this.#rule;
    const sorted = tallies.toSorted((one, other) => one.ms - other.ms);
    const runs = [...Map.groupBy(sorted, ({ ms }) => Math.floor(ms / this.#bucketMs) * this.#bucketMs)];
    if (isScarcity(condition)) this.#watchScarcity(runs, { from, until });
    else this.#watchPlenty(runs, until);
    const horizon = until - findMemoryMs(condition, windowMs);
    const first = this.#buckets.findIndex(([ms]) => ms >= horizon - this.#bucketMs);
    this.#buckets.splice(0, first < 0 ? this.#buckets.length : first);
  }

  isMemorable(until: number): boolean {
    if (this.#firedAt === null) return this.#buckets.length > 0;
    return !this.#rule.isSplit || this.#buckets.length > 0 || until - this.#firedAt < forgottenAfterMs;
  }

  /** Starts firing when an entry arrives. Stops one window after the condition last held. */
  #watchPlenty(runs: readonly Run[], until: number): void {
    for (const run of runs) {
      this.#resolveBefore(run[1][0]!.ms);
      this.#add(run);
      const { isFulfilled, count } = this.#look(run[0] + this.#bucketMs);
      if (isFulfilled) this.#fire(run[1].at(-1)!.ms, count);
    }
    this.#resolveBefore(until);
  }

  #resolveBefore(ms: number): void {
    const due = this.#fulfilledAt + this.#rule.windowMs;
    if (this.#firedAt !== null && ms > due) this.#resolve(due, 0);
  }

  /** Changes as time passes: evaluates whenever a bucket enters or leaves the window, once a whole window has been seen. */
  #watchScarcity(runs: readonly Run[], { from, until }: { from: number; until: number }): void {
    for (const run of runs) this.#add(run);
    this.#seenAt ??= runs[0]?.[0] ?? from;
    const begin = Math.max(
      from + 1,
      this.#rule.since + this.#rule.windowMs,
      this.#seenAt + this.#rule.windowMs,
    );
    for (const end of this.#listTurns({ begin, until })) {
      const { isFulfilled, count } = this.#look(end);
      if (isFulfilled) this.#fire(end, count);
      else if (this.#firedAt !== null) this.#resolve(end, count);
    }
  }

  /** Lists the ends of windows whose contents change. */
  #listTurns({ begin, until }: { begin: number; until: number }): number[] {
    const step = this.#bucketMs;
    const first = Math.ceil(begin / step) * step;
    const changes = this.#buckets.flatMap(([ms]) => [ms + step, ms + step + this.#rule.windowMs]);
    const ends = [first, ...changes].filter(end => end >= first && end <= until);
    return [...new Set(ends)].sort((one, other) => one - other);
  }

  #look(end: number): { isFulfilled: boolean; count: number } {
    const { condition, windowMs } = this.#rule;
    const count = this.#counts.countUntil(end);
    const before = condition.kind === 'change' ? this.#countsBefore.countUntil(end - windowMs) : 0;
    return { isFulfilled: fulfils(condition, { count, before }), count };
  }

  #add([ms, tallies]: Run): void {
    const count = tallies.reduce((sum, tally) => sum + tally.count, 0);
    const last = this.#buckets.at(-1);
    if (last?.[0] === ms) this.#buckets[this.#buckets.length - 1] = [ms, last[1] + count];
    else this.#buckets.push([ms, count]);
  }

  #fire(at: number, count: number): void {
    this.#fulfilledAt = at;
    if (this.#firedAt !== null) return;
    this.#firedAt = at;
    this.#addTransition('fired', at, count);
  }

  #resolve(at: number, count: number): void {
    this.#firedAt = null;
    this.#addTransition('resolved', at, count);
  }

  #addTransition(kind: Transition['kind'], at: number, count: number): void {
    this.transitions.push({ kind, value: this.#value, at, count });
  }
}

/** Arrivals in one bucket. */
type Run = readonly [ms: number, tallies: readonly Tally[]];

function isScarcity(condition: WindowCondition): boolean {
  return condition.kind === 'count' && condition.op === '<';
}
