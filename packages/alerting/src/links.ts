/** Composes the dashboard links of notifications. */
import {
  allOf,
  everything,
  type Level,
  levels,
  parseQuery,
  printQuery,
  type Query,
} from '@tapedeck/log-query-language';
import type { Rule } from './ports/records.ts';
import { isOfPatterns, readSplit } from './ruleQueries.ts';

const valueCharactersMax = 300; // longer links are refused, or cut and then lead elsewhere

type Shown = Pick<Rule, 'project' | 'condition' | 'query' | 'dataset' | 'by' | 'windowSeconds'>;

/** Links to the search at that moment, or to the page of the rule's subject. `value` is the firing value; '' if the rule is not split. */
export function linkMoment(
  rule: Shown,
  { value, at }: { value: string; at: number },
  publicUrl: string,
): string {
  const project = `${publicUrl}/projects/${rule.project}`;
  const { kind } = rule.condition;
  if (kind === 'session_quiet') return `${project}/sessions`;
  if (kind === 'storage') return project;
  const query = narrow(rule, value);
  const search = new URLSearchParams({
    ...(query !== '' && { query }),
    dataset: rule.dataset ?? '*',
    from: new Date(at - 2 * rule.windowSeconds * 1000).toISOString(),
    to: new Date(at).toISOString(),
  });
  return `${project}/logs?${search}`;
}

export function linkRule({ project, id }: Pick<Rule, 'project' | 'id'>, publicUrl: string): string {
  return `${publicUrl}/projects/${project}/alerts/${id}`;
}

/** Narrows the search to one value, if the rule is split. */
function narrow(rule: Shown, value: string): string {
  const field = isOfPatterns(rule) ? ({ kind: 'pattern' } as const) : readSplit(rule);
  if (field === null || value === '' || value.length > valueCharactersMax) return rule.query;
  const condition = parseQuery(rule.query) ?? everything;
  const own: Query =
    field.kind === 'level'
      ? { kind: 'level', levels: levels.filter((level: Level) => level === value) }
      : {
          kind: 'field',
          field: field.kind === 'metadata' ? field : { kind: field.kind },
          values: [{ kind: 'equals', text: value }],
        };
  return printQuery(allOf(condition === everything ? [own] : [condition, own]));
}
