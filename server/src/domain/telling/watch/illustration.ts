/** What a notification shows beside its words: some entries, and how the windows before were. */
import type { Transition } from '@tapedeck/alert-rules';
import { allOf, type Condition, type TextField } from '@tapedeck/log-query-language';
import type { RuleEvent } from '@tapedeck/notifications';
import { logLevels } from '../../../vocabulary.ts';
import type { LogFilter, LogQueries } from '../../ports/logQueries.ts';
import type { Rule } from '../../ports/telling.ts';
import { composeRuleFilter, readSplit } from '../ruleQuestions.ts';

type Illustration = Pick<RuleEvent, 'entries' | 'windows'>;
type IllustrationDeps = { logQueries: Pick<LogQueries, 'findEntries' | 'findSeries'> };

const entriesMax = 3; // CONTRACT.md, 10
const messageCharactersMax = 500;
const windowsShown = 24;

export const nothingToShow: Illustration = { entries: [], windows: null };

/** Without what cannot be found in time. */
export async function illustrate(
  { logQueries }: IllustrationDeps,
  { rule, transition, signal }: { rule: Rule; transition: Transition; signal: AbortSignal },
): Promise<Illustration> {
  const { value, at, count, kind } = transition;
  const windowMs = rule.windowSeconds * 1000;
  const startMicros = (at - windowsShown * windowMs) * 1000;
  const filter = { ...narrow(rule, value), fromMicros: startMicros, toMicros: at * 1000 };
  const buckets = { startMicros, intervalMicros: windowMs * 1000, count: windowsShown };
  const counting = { buckets, by: null, measure: { statistic: 'count' } } as const;
  const page = { limit: kind === 'fired' ? entriesMax : 0, offset: 0, after: null, order: 'desc' } as const;
  const [drawn, found] = await Promise.allSettled([
    logQueries.findSeries(filter, counting, signal),
    page.limit === 0 ? null : logQueries.findEntries({ ...filter, toMicros: null }, page, signal),
  ]);
  const points = drawn.status === 'fulfilled' ? (drawn.value[0]?.points ?? []) : [];
  const counts = [...points.slice(0, -1).map(point => point ?? 0), count];
  const entries = found.status === 'fulfilled' ? (found.value?.entries ?? []) : [];
  return {
    windows: points.length === 0 ? null : { endAt: at, windowMs, counts },
    entries: entries.map(({ timestampMicros, level, resource, body }) => ({
      ...{ at: Math.floor(timestampMicros / 1000), level, resource: resource === '' ? null : resource },
      message: body.slice(0, messageCharactersMax).toWellFormed(),
    })),
  };
}

/** To the entries of one value, where the rule is split. */
function narrow(rule: Rule, value: string): LogFilter {
  const filter = composeRuleFilter(rule);
  const isOfPatterns = rule.condition.kind === 'new_pattern';
  const field = isOfPatterns ? ({ kind: 'pattern' } as const) : readSplit(rule);
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
