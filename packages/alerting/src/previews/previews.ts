/** Estimates how often a rule would have fired in recent days. */

import { beginWatch } from '../evaluation/ruleState.ts';
import { evaluateSessions, evaluateStorage, type OtherDeps } from '../evaluation/serverAndQuotaRules.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredEntries } from '../ports/logQueries.ts';
import type { Rule } from '../ports/records.ts';
import { composeRuleFilter, composeRuleState, readSplit } from '../ruleQueries.ts';
import type { Transition } from '../windows/states.ts';
import { previewWindows, type WindowSeries } from './previewedWindows.ts';

export type PreviewDeps = OtherDeps & {
  logQueries: Pick<StoredEntries, 'countEntries' | 'countValues' | 'streamTallies' | 'findFirstPatterns'>;
  clock: Clock;
};

const dayMs = 86_400_000;
const days = 7; // CONTRACT.md, 10
const intervalMs = 1_800_000; // the resolution of the chart
const timesMax = 100;
const patternsMax = 50_000; // a few megabytes
const lookMs = 2_000; // a match this soon after a pattern's first entry counts as new

export type RulePreview = {
  fired: number;
  /** The first firings. */
  times: number[];
  /** How full the windows were that ended in each interval; null for rules without windows. */
  windows: { startMs: number; intervalMs: number; series: WindowSeries[] } | null;
};

export async function previewRule(deps: PreviewDeps, rule: Rule, signal: AbortSignal): Promise<RulePreview> {
  const now = deps.clock.now();
  const request = { rule: { ...rule, generation: now - days * dayMs }, now, signal };
  const { times, series } = await findTimes(deps, request);
  return {
    fired: times.length,
    times: times.slice(0, timesMax),
    windows: series && { startMs: request.rule.generation, intervalMs, series },
  };
}

type PreviewRequest = { rule: Rule; now: number; signal: AbortSignal };
type Found = { times: number[]; series: WindowSeries[] | null };

/** Finds when the rule would have fired since its generation. */
async function findTimes(deps: PreviewDeps, { rule, now, signal }: PreviewRequest): Promise<Found> {
  const since = rule.generation;
  const look = { rule, watch: beginWatch(rule), now };
  switch (rule.condition.kind) {
    case 'session_quiet':
      return listFired((await evaluateSessions(deps, look)).transitions);
    case 'storage':
      return listFired((await evaluateStorage(deps, look)).transitions);
    case 'new_pattern':
    case 'issue':
      return previewPatterns(deps, { rule, now, signal });
    default: {
      const filter = { ...composeRuleFilter(rule), fromMicros: since * 1000, toMicros: now * 1000 - 1 };
      const split = readSplit(rule);
      return previewWindows(
        deps.logQueries,
        { watched: composeRuleState(rule)!, filter, split, intervalMs },
        signal,
      );
    }
  }
}

/** The service keeps no history of these: only a day of expired sessions, and the current use of quotas. */
function listFired(transitions: readonly Transition[]): Found {
  const fired = transitions.filter(({ kind }) => kind === 'fired');
  return { times: fired.map(({ at }) => at), series: null };
}

/** Lists each pattern once, but not while it fires for another dataset. */
async function previewPatterns(
  { logQueries }: PreviewDeps,
  { rule, now, signal }: PreviewRequest,
): Promise<Found> {
  const filter = {
    ...composeRuleFilter(rule),
    fromMicros: rule.generation * 1000,
    toMicros: now * 1000 - 1,
  };
  const bounds = { withinMs: lookMs, limit: patternsMax };
  const times: number[] = [];
  const firedAt = new Map<string, number>();
  for (const { pattern, ms } of await logQueries.findFirstPatterns(filter, bounds, signal)) {
    if (ms < (firedAt.get(pattern) ?? Number.NEGATIVE_INFINITY) + rule.windowSeconds * 1000) continue;
    firedAt.set(pattern, ms);
    times.push(ms);
  }
  return { times, series: null };
}
