/** Reads a rule's query when it is saved, and turns it into a log store filter when the rule is evaluated. */
import { type LogField, type LogFilter, readValueField } from '@tapedeck/log-entries';
import { allOf, type Condition, everything, parseQuery } from '@tapedeck/log-query-language';
import { invalidFieldError } from './failures.ts';
import type { RuleKind } from './kinds.ts';
import type { Rule, RuleCondition } from './ports/records.ts';
import type { WatchedRule } from './windows/windowEvaluation.ts';

const allDatasets = '*'; // CONTRACT.md, 4.2
const errors: Condition = { kind: 'level', levels: ['error'] };

/** A rule as requested. Fields of other kinds are refused. */
export type RuleRequest = {
  kind: RuleKind;
  query: string;
  dataset: string | null;
  by: string | null;
  condition: { op?: '>=' | '<'; value?: number; factor?: number };
  windowSeconds: number;
};

const entryKinds: readonly RuleKind[] = ['count', 'change', 'new_pattern', 'issue'];

type Question = Pick<Rule, 'condition' | 'query' | 'dataset' | 'by' | 'windowSeconds'>;

/** Throws `invalid_field`, or a `QueryMistake` with its position. */
export function readQuestion({ kind, condition, dataset, ...others }: RuleRequest): Question {
  const question = { ...others, dataset: dataset === allDatasets ? null : dataset };
  const isOfEntries = entryKinds.includes(kind);
  if (!isOfEntries && question.query !== '')
    throw invalidFieldError('query', `A rule of kind ${kind} is not about log entries; leave query empty.`);
  if (!isOfEntries && question.dataset !== null)
    throw invalidFieldError('dataset', `A rule of kind ${kind} is not about log entries; leave dataset out.`);
  if (question.by !== null && kind !== 'count' && kind !== 'change')
    throw invalidFieldError('by', `A rule of kind ${kind} is not split; leave by out.`);
  if (question.query !== '') parseQuery(question.query);
  if (question.by !== null) readBy(question.by);
  return { ...question, condition: readCondition(kind, condition) };
}

function readCondition(kind: RuleKind, given: RuleRequest['condition']): RuleCondition {
  const accepted: Record<RuleKind, readonly string[]> = {
    count: ['op', 'value'],
    change: ['value', 'factor'],
    new_pattern: [],
    issue: [],
    session_quiet: [],
    storage: ['value'],
  };
  const unknown = Object.keys(given).find(name => !accepted[kind].includes(name));
  if (unknown !== undefined)
    throw invalidFieldError(`condition.${unknown}`, `A condition of kind ${kind} has no ${unknown}.`);
  const missing = accepted[kind].find(name => !Object.hasOwn(given, name));
  if (missing !== undefined)
    throw invalidFieldError(
      `condition.${missing}`,
      `The condition of kind ${kind} needs ${accepted[kind].join(' and ')}.`,
    );
  const { op = '>=', value = 0, factor = 0 } = given;
  if (accepted[kind].includes('value') && value < 1)
    throw invalidFieldError(
      'condition.value',
      'value must be at least 1; otherwise the condition is always or never met.',
    );
  if (kind !== 'storage' && !Number.isInteger(value))
    throw invalidFieldError('condition.value', 'value must be a number of entries.');
  if (kind === 'storage' && value > 100)
    throw invalidFieldError('condition.value', 'value must be a percentage of a quota, from 1 to 100.');
  switch (kind) {
    case 'count':
      return { kind, op, value };
    case 'change':
      return { kind, value, factor };
    case 'storage':
      return { kind, value };
    default:
      return { kind };
  }
}

/** Returns whether arriving entries decide about the rule. */
export function isOfEntries({ condition: { kind } }: Pick<Rule, 'condition'>): boolean {
  return entryKinds.includes(kind);
}

/** Returns whether each pattern fires separately. */
export function isOfPatterns({ condition: { kind } }: Pick<Rule, 'condition'>): boolean {
  return kind === 'new_pattern' || kind === 'issue';
}

/** Returns the state of a rule over windows of entries; null for other kinds. */
export function composeRuleState({ condition, windowSeconds, by, generation }: Rule): WatchedRule | null {
  if (condition.kind !== 'count' && condition.kind !== 'change') return null;
  return { condition, windowMs: windowSeconds * 1000, since: generation, isSplit: by !== null };
}

/** Throws if the language has changed and the query is no longer valid. */
export function composeRuleFilter({
  project,
  dataset,
  query,
  condition: { kind },
}: Pick<Rule, 'project' | 'dataset' | 'query' | 'condition'>): LogFilter {
  const condition = (query === '' ? null : parseQuery(query)) ?? everything;
  return {
    project,
    datasets: dataset === null ? null : [dataset],
    fromMicros: null,
    toMicros: null,
    condition: kind === 'issue' ? allOf([errors, condition]) : condition,
  };
}

export function readSplit({ by }: Pick<Rule, 'by'>): LogField | null {
  return by === null ? null : readBy(by);
}

function readBy(by: string): LogField {
  const field = readValueField(by);
  if (field !== null) return field;
  throw invalidFieldError('by', 'by must be level, resource, dataset, pattern, or a path of metadata.');
}
