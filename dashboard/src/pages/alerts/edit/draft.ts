/** Converts between the form's fields and a rule. */

import type { Severity } from '@tapedeck/client';
import type { Level } from '@tapedeck/log-query-language';
import { type DurationUnit, joinDuration, splitDuration } from '../../../format/durations.ts';
import { shorten } from '../../../format/names.ts';
import type { NewRule, Rule } from '../../../queries/rules.ts';
import { chooseLevels, listLevels } from '../../logs/queryFilters.ts';
import type { RuleQuestion } from '../ruleSummary.ts';
import type { NewRuleSearch } from './newRule.ts';

/** The purpose of a rule, as users choose it. */
export type RuleWish = 'many' | 'few' | 'more' | 'new' | 'issue' | 'quiet' | 'storage';

export type RuleDraft = {
  want: RuleWish;
  /** Empty: the suggested name. */
  name: string;
  query: string;
  /** Empty: any dataset. */
  dataset: string;
  /** Empty: not grouped. */
  by: string;
  value: string;
  factor: string;
  percent: string;
  amount: string;
  unit: Exclude<DurationUnit, 'day'>;
  channels: readonly string[];
  severity: Severity;
};

const wants: readonly RuleWish[] = ['many', 'few', 'more', 'new', 'issue', 'quiet', 'storage'];

export function beginDraft(search: NewRuleSearch, channels: readonly string[]): RuleDraft {
  return {
    want: wants.find(each => each === search.want) ?? 'many',
    name: search.name ?? '',
    query: search.query ?? '',
    dataset: search.dataset ?? '',
    by: search.by ?? '',
    value: search.value ?? (search.want === 'few' ? '1' : '10'),
    factor: '3',
    percent: '80',
    amount: '5',
    unit: 'minute',
    channels,
    severity: 'warning',
  };
}

export function draftOf(rule: Rule): RuleDraft {
  const { kind, condition, windowSeconds } = rule;
  const { value, factor } = condition;
  const { amount, unit } = splitDuration(windowSeconds);
  const isDays = unit === 'day';
  return {
    want: readWish(rule),
    name: rule.name,
    query: rule.query,
    dataset: rule.dataset ?? '',
    by: rule.by ?? '',
    value: kind === 'storage' ? '10' : String(value ?? 10),
    factor: String(factor ?? 3),
    percent: kind === 'storage' ? String(value) : '80',
    amount: String(isDays ? amount * 24 : amount),
    unit: isDays ? 'hour' : unit,
    channels: rule.channels,
    severity: rule.severity,
  };
}

function readWish({ kind, condition }: Rule): RuleWish {
  const others = {
    change: 'more',
    new_pattern: 'new',
    issue: 'issue',
    session_quiet: 'quiet',
    storage: 'storage',
  } as const;
  if (kind !== 'count') return others[kind];
  return condition.op === '<' ? 'few' : 'many';
}

/** True if the rule counts entries in time windows. */
export function isOfWindows(want: RuleWish): want is 'many' | 'few' | 'more' {
  return want === 'many' || want === 'few' || want === 'more';
}

/** True if the rule checks each pattern by itself. */
export function isOfPatterns(want: RuleWish): want is 'new' | 'issue' {
  return want === 'new' || want === 'issue';
}

/** Converts the draft as typed. Leaves out text that is not a number; the service rejects the rest. */
export function readQuestion(draft: RuleDraft): RuleQuestion {
  const isOfEntries = isOfWindows(draft.want) || isOfPatterns(draft.want);
  return {
    ...readCondition(draft),
    query: isOfEntries ? draft.query : '',
    dataset: isOfEntries ? draft.dataset || null : null,
    by: isOfWindows(draft.want) ? draft.by.trim() || null : null,
    windowSeconds: joinDuration(Number(draft.amount), draft.unit),
  };
}

function readCondition({ want, ...typed }: RuleDraft): Pick<RuleQuestion, 'kind' | 'condition'> {
  const value = Number(typed.value);
  switch (want) {
    case 'many':
      return { kind: 'count', condition: { op: '>=', value } };
    case 'few':
      return { kind: 'count', condition: { op: '<', value } };
    case 'more':
      return { kind: 'change', condition: { value, factor: Number(typed.factor) } };
    case 'new':
      return { kind: 'new_pattern', condition: {} };
    case 'issue':
      return { kind: 'issue', condition: {} };
    case 'quiet':
      return { kind: 'session_quiet', condition: {} };
    case 'storage':
      return { kind: 'storage', condition: { value: Number(typed.percent) } };
  }
}

export function writeRule(draft: RuleDraft): NewRule {
  return {
    ...readQuestion(draft),
    name: draft.name.trim() || proposeName(draft),
    channels: [...draft.channels],
    severity: draft.severity,
  };
}

const nameSignsMax = 60; // lists cut off longer ones

export function proposeName({ want, query, dataset }: RuleDraft): string {
  const subject = nameSubject(query, dataset);
  const names: Readonly<Record<RuleWish, string>> = {
    many: `Many ${subject}`,
    few: `Few ${subject}`,
    more: `Suddenly more ${subject}`,
    new: query === '' ? 'Something new' : `Something new: ${query}`,
    issue: query === '' ? 'New or returning issues' : `Issues: ${query}`,
    quiet: 'A server went silent',
    storage: 'Storage almost full',
  };
  return shorten(names[want], nameSignsMax);
}

const levelNames: Readonly<Record<Level, string>> = {
  debug: 'debug entries',
  info: 'info entries',
  warn: 'warnings',
  error: 'errors',
};

/** `errors: kicked` for `level:error kicked`. */
function nameSubject(query: string, dataset: string): string {
  const [level, ...others] = listLevels(query);
  const isOne = level !== undefined && others.length === 0;
  const rest = isOne ? chooseLevels(query, []) : query;
  const entries = isOne ? levelNames[level] : 'entries';
  if (rest !== '') return `${entries}: ${rest}`;
  return isOne || dataset === '' ? entries : `entries in ${dataset}`;
}
