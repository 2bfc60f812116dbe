/** Evaluates rules about new log patterns: each pattern notifies once and fires for one window. */
import type { NewPattern } from '@tapedeck/log-store';
import type { Transition } from '../windows/states.ts';
import type { Step, Watched } from './transitions.ts';

export function judgeNewPatterns(
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
