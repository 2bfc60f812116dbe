/** Evaluates rules about new log patterns, and about issues that are new or came back: each notifies once and fires for one window. */
import type { NewPattern, TimedCount } from '@tapedeck/log-store';
import type { DecidedIssue } from '../ports/facts.ts';
import type { Transition } from '../windows/states.ts';
import type { Step } from './transitions.ts';
import type { Watched } from './watchedRule.ts';

export function evaluateNewPatterns(
  { rule, watch }: Watched,
  { found, until }: { found: readonly NewPattern[]; until: number },
): Step {
  const firing = new Set(watch.firing.map(({ value }) => value));
  const transitions: Transition[] = [];
  for (const { pattern: value, count, ms } of found) {
    if (firing.has(value)) continue;
    firing.add(value);
    transitions.push({ kind: 'fired', value, at: ms, count });
  }
  for (const { value, since } of watch.firing) {
    const end = since + rule.windowSeconds * 1000;
    if (end <= until) transitions.push({ kind: 'resolved', value, at: end, count: 0 });
  }
  return { windows: { ...watch.windows, at: until }, transitions, trouble: null };
}

const skewMsMax = 30_000; // beyond this, the service's clock is ahead of the log store's, and arrivals since the last evaluation count as later

type FoundIssues = {
  fresh: readonly NewPattern[];
  /** Arrivals of patterns that a user has resolved. */
  arrived: readonly TimedCount[];
  decided: readonly DecidedIssue[];
  until: number;
};

/** A resolved issue comes back once, until it is resolved again. Ignored issues do not fire. */
export function evaluateIssues(watched: Watched, { fresh, arrived, decided, until }: FoundIssues): Step {
  const ignored = new Set(decided.filter(({ state }) => state === 'ignored').map(({ pattern }) => pattern));
  const step = evaluateNewPatterns(watched, {
    found: fresh.filter(({ pattern }) => !ignored.has(pattern)),
    until,
  });
  const { returned = {} } = watched.watch;
  const isTaken = new Set(step.transitions.map(({ value }) => value));
  const back = decided.flatMap(({ pattern, state, decidedAt }) => {
    if (state !== 'resolved' || returned[pattern] === decidedAt || isTaken.has(pattern)) return [];
    const isAhead = decidedAt > until + skewMsMax;
    const later = arrived.filter(({ ms, value }) => value === pattern && (isAhead || ms > decidedAt));
    const [first] = later.map(({ ms }) => ms).toSorted((one, other) => one - other);
    if (first === undefined) return [];
    const count = later.reduce((sum, one) => sum + one.count, 0);
    return [{ decidedAt, transition: { value: pattern, at: first, count, isReturn: true } as const }];
  });
  if (back.length === 0) return step;
  const resolved = new Map(decided.map(({ pattern, decidedAt }) => [pattern, decidedAt]));
  const known = Object.entries(returned).filter(([pattern, at]) => resolved.get(pattern) === at);
  const added = back.map(({ decidedAt, transition }) => [transition.value, decidedAt] as const);
  return {
    ...step,
    transitions: [
      ...step.transitions,
      ...back.map(({ transition }): Transition => ({ kind: 'fired', ...transition })),
    ],
    returned: Object.fromEntries([...known, ...added]),
  };
}
