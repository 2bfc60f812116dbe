/** Collects the entries and earlier counts that a notification shows. */
import { endArrivals, type LogFilter } from '@tapedeck/log-entries';
import { logLevels } from '@tapedeck/log-entries/levels';
import { allOf, type Condition, isTemplate, type TextField } from '@tapedeck/log-query-language';
import type { RuleEvent } from '@tapedeck/notifications';
import type { Arrivals, StoredEntries } from '../ports/logQueries.ts';
import type { Rule } from '../ports/records.ts';
import { composeRuleFilter, isOfPatterns, readSplit } from '../ruleQueries.ts';
import type { Transition } from '../windows/states.ts';

type Illustration = Pick<RuleEvent, 'entries' | 'windows'>;
type IllustrationDeps = {
  logQueries: Pick<StoredEntries, 'findSeries'>;
  arrivals: Pick<Arrivals, 'findArrived'>;
};
type TransitionContext = {
  rule: Rule;
  transition: Transition;
  /** Entries up to this time have been evaluated. */
  settledMs: number;
  signal: AbortSignal;
};

const entriesMax = 3; // CONTRACT.md, 10
const entriesBytesMax = 1024 * 1024; // the message shows little of it
const messageCharactersMax = 500;
const windowsShown = 24;

export const nothingToShow: Illustration = { entries: [], windows: null };

/** Leaves out data that it cannot find in time. */
export async function loadAlertContext(
  { logQueries, arrivals }: IllustrationDeps,
  { rule, transition, settledMs, signal }: TransitionContext,
): Promise<Illustration> {
  const { value, at, count, kind } = transition;
  const windowMs = rule.windowSeconds * 1000;
  // Template filters do not work on arrivals, so the search would show unrelated entries.
  const isMerged = isOfPatterns(rule) && isTemplate({ kind: 'equals', text: value });
  const startMicros = (at - windowsShown * windowMs) * 1000;
  const filter = { ...narrow(rule, value), fromMicros: startMicros, toMicros: at * 1000 };
  const buckets = { startMicros, intervalMicros: windowMs * 1000, count: windowsShown };
  const counting = { buckets, by: null, measure: { statistic: 'count' } } as const;
  // Selects the window's entries by arrival, because their own timestamps may be days off. The rule does not count earlier ones.
  const shown = {
    filters: [narrow(rule, value)],
    after: endArrivals(Math.max(at - windowMs, rule.generation) * 1000 - 1),
    upTo: endArrivals(settledMs * 1000 - 1),
    entriesMax,
    bytesMax: entriesBytesMax,
  };
  const [drawn, found] = await Promise.allSettled([
    logQueries.findSeries(filter, counting, signal),
    kind === 'fired' && !isMerged ? arrivals.findArrived(shown, { urgency: 'now', signal }) : null,
  ]);
  const points = drawn.status === 'fulfilled' ? (drawn.value[0]?.points ?? []) : [];
  const counts = [...points.slice(0, -1).map(point => point ?? 0), count];
  const arrived = found.status === 'fulfilled' ? (found.value?.arrived ?? []) : [];
  return {
    windows: points.length === 0 ? null : { endAt: at, windowMs, counts },
    entries: arrived.map(({ entry: { timestampMicros, level, resource, body } }) => ({
      at: Math.floor(timestampMicros / 1000),
      level,
      resource: resource === '' ? null : resource,
      message: body.slice(0, messageCharactersMax).toWellFormed(),
    })),
  };
}

/** Narrows the filter to one value of a grouped rule. */
function narrow(rule: Rule, value: string): LogFilter {
  const filter = composeRuleFilter(rule);
  const field = isOfPatterns(rule) ? ({ kind: 'pattern' } as const) : readSplit(rule);
  if (field === null) return filter;
  const own =
    field.kind === 'level'
      ? matchLevel(value)
      : matchText(field.kind === 'metadata' ? field : { kind: field.kind }, value);
  return { ...filter, condition: allOf([filter.condition, own]) };
}

function matchLevel(value: string): Condition {
  return { kind: 'level', levels: logLevels.filter(level => level === value) };
}

function matchText(field: TextField, text: string): Condition {
  return { kind: 'field', field, values: [{ kind: 'equals', text }] };
}
