/** Judges rules about patterns that nobody has seen before: each is told once, and fires for a window. */
import type { Transition } from '@tapedeck/alert-rules';
import type { LogArrivals } from '../../ports/logQueries.ts';
import { composeRuleFilter } from '../ruleQuestions.ts';
import type { Step, Watched } from './changes.ts';

export async function judgeNewPatterns(
  arrivals: Pick<LogArrivals, 'findNewPatterns'>,
  { rule, watch }: Watched,
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<Step> {
  const { at } = watch.windows;
  const span = { fromMicros: at * 1000, toMicros: until * 1000 };
  const found = await arrivals.findNewPatterns(composeRuleFilter(rule), span, signal);
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
