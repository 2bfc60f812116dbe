/** Builds the queries of issue rules: which issues are new, and which resolved ones came back. Merged patterns are one issue. */
import type { LogFilter } from '@tapedeck/log-entries';
import { allOf, type Condition, isTemplate, negate } from '@tapedeck/log-query-language';
import type { ArrivedQuestion, NewPattern } from '@tapedeck/log-store';
import type { DecidedIssue } from '../ports/facts.ts';
import type { StoredEntries } from '../ports/logQueries.ts';
import type { Rule } from '../ports/records.ts';
import { composeRuleFilter } from '../ruleQueries.ts';
import type { Watched } from './watchedRule.ts';

const comparedMs = 86_400_000; // before and ahead, because clocks of programs may run ahead
const rowsMax = 200;

type Found = { found: readonly NewPattern[]; until: number; signal: AbortSignal };

/** Keeps new patterns, except variants of an existing issue. Of several in one issue, keeps the most frequent. */
export async function findNewIssues(
  logQueries: Pick<StoredEntries, 'findPatterns'>,
  rule: Rule,
  { found, until, signal }: Found,
): Promise<readonly NewPattern[]> {
  if (found.length === 0) return found;
  const startMicros = (until - comparedMs) * 1000;
  const intervalMicros = 2 * comparedMs * 1000;
  const filter = {
    ...composeRuleFilter(rule),
    fromMicros: startMicros,
    toMicros: startMicros + intervalMicros - 1,
  };
  const buckets = { startMicros, intervalMicros, count: 1 };
  const question = { buckets, isNew: false, limit: rowsMax, areWhole: true };
  const { patterns: rows } = await logQueries.findPatterns(filter, question, signal);
  const fresh = new Set(found.map(({ pattern }) => pattern));
  const further = rows.flatMap(({ patterns }) =>
    patterns.every(one => fresh.has(one)) ? patterns.slice(1) : patterns,
  );
  const known = new Set(further);
  return found.filter(({ pattern }) => !known.has(pattern));
}

/** Excludes entries of merged issues that a user has resolved or ignored: they are not new. */
export function composeFresh(rule: Rule, decided: readonly DecidedIssue[]): LogFilter {
  const filter = composeRuleFilter(rule);
  const templates = decided.map(({ pattern }) => pattern).filter(isTemplateText);
  if (rule.condition.kind !== 'issue' || templates.length === 0) return filter;
  return { ...filter, condition: allOf([filter.condition, negate(namePatterns(templates))]) };
}

type IssueQuestion = { question: ArrivedQuestion; template: string | null };

/** Builds one query for all single patterns that could come back, and one for each template. */
export function composeResolvedQuestions(
  { rule, watch: { returned = {} } }: Watched,
  decided: readonly DecidedIssue[],
): IssueQuestion[] {
  const known = decided
    .filter(({ state, pattern, decidedAt }) => state === 'resolved' && returned[pattern] !== decidedAt)
    .map(({ pattern }) => pattern);
  const filter = composeRuleFilter(rule);
  const filterByPatterns = (names: readonly string[]) => ({
    ...filter,
    condition: allOf([filter.condition, namePatterns(names)]),
  });
  const field = { kind: 'pattern' } as const;
  const single = known.filter(name => !isTemplateText(name));
  const templates = known.filter(isTemplateText).map((template): IssueQuestion => {
    return { question: { filter: filterByPatterns([template]), by: null }, template };
  });
  if (single.length === 0) return templates;
  return [
    ...templates,
    { question: { filter: filterByPatterns(single), by: { field, known: single } }, template: null },
  ];
}

function namePatterns(names: readonly string[]): Condition {
  const values = names.map(text => ({ kind: 'equals', text }) as const);
  return { kind: 'field', field: { kind: 'pattern' }, values };
}

function isTemplateText(text: string): boolean {
  return isTemplate({ kind: 'equals', text });
}
