/**
 * Resolves conditions such as `pattern:"kicked <*> (<n>)"`. Entries hold only the number of their pattern, so this compares
 * the templates of all patterns in the time range, and replaces the condition by the patterns that fit.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogFilter } from '@tapedeck/log-entries';
import { compileTemplate } from '@tapedeck/log-patterns';
import {
  allOf,
  anyOf,
  type Condition,
  everything,
  type FieldValue,
  hasTemplate,
  isTemplate,
  negate,
  nothing,
} from '@tapedeck/log-query-language';
import { Binder, bindMicros, type Row } from '../writer/engine/statements.ts';
import { formatConditions } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import type { SettledSpan } from './logQueries.ts';
import type { Found } from './patternLines.ts';
import {
  formatSamples,
  type PatternTemplates,
  readSamples,
  templateBodyBytesMax,
} from './patternTemplates.ts';
import { type Runner, runQuery } from './queryRunner.ts';

export type TemplateDeps = CountDeps & { patternTemplates: PatternTemplates };

const comparedMax = 100_000; // see `DECISIONS.md`
const bytesPerCompared = 4_000; // of a query's memory; the patterns take only a small part of it
const samplesPerStatement = 10_000; // of at most 4 KiB each
const describedPerTurn = 500; // a few milliseconds

/** Removes templates from the condition: callers that ask for arriving entries check the template themselves. */
export function widenTemplates(filter: LogFilter): LogFilter {
  if (!hasTemplate(filter.condition)) return filter;
  return { ...filter, condition: widen(filter.condition, everything) };
}

function widen(condition: Condition, wide: Condition): Condition {
  switch (condition.kind) {
    case 'and':
      return allOf(condition.trees.map(tree => widen(tree, wide)));
    case 'or':
      return anyOf(condition.trees.map(tree => widen(tree, wide)));
    case 'not':
      return negate(widen(condition.tree, wide === everything ? nothing : everything));
    default:
      return hasTemplate(condition) ? wide : condition;
  }
}

/** Returns how many of the most frequent patterns a query compares. */
export function countCompared({ memoryBytesMax }: Runner): number {
  return Math.min(comparedMax, Math.floor(memoryBytesMax / bytesPerCompared));
}

/** Beyond this share of memory, the engine puts groups on disk. So a flood of patterns takes more time, but not more memory. */
const groupsShare = 0.3;

export function queryPatterns(
  runner: Runner,
  binder: Binder,
  { sql, signal }: { sql: string; signal: AbortSignal },
): Promise<readonly Row[]> {
  const settings = { max_bytes_before_external_group_by: Math.floor(runner.memoryBytesMax * groupsShare) };
  const options = { weight: 'heavy', signal } as const;
  return runQuery(runner, options, { sql, parameters: binder.parameters, settings });
}

type Within = { arrived: SettledSpan | null; signal: AbortSignal };

/** Replaces templates by patterns. With a span, compares only patterns of entries that arrived in it. */
export async function resolveTemplates(
  deps: TemplateDeps,
  filter: LogFilter,
  { arrived, signal }: Within,
): Promise<LogFilter> {
  const { found } = await listPatterns(deps, { ...filter, condition: everything }, { arrived, signal });
  await learnTemplates(deps, { filter: { ...filter, condition: everything }, found, signal });
  const known = found.flatMap(({ pattern }) => {
    const described = deps.patternTemplates.get(pattern);
    return described === undefined ? [] : [{ pattern, template: described.template }];
  });
  const find = (text: string): string[] => {
    const fits = compileTemplate(text);
    return known.filter(({ template }) => fits(template)).map(({ pattern }) => pattern);
  };
  return { ...filter, condition: replaceTemplates(filter.condition, find) };
}

/** A template without a fitting pattern stays, and finds nothing. */
function replaceTemplates(condition: Condition, find: (text: string) => string[]): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { ...condition, trees: condition.trees.map(tree => replaceTemplates(tree, find)) };
    case 'not':
      return { ...condition, tree: replaceTemplates(condition.tree, find) };
    case 'field': {
      if (condition.field.kind !== 'pattern') return condition;
      const values = condition.values.flatMap((value): FieldValue[] => {
        const patterns = isTemplate(value) ? find(value.text) : [];
        return patterns.length === 0 ? [value] : patterns.map(text => ({ kind: 'equals', text }));
      });
      return { kind: 'field', field: condition.field, values };
    }
    default:
      return condition;
  }
}

/** Lists the most frequent patterns first, equally frequent ones by digits, and counts all. */
export async function listPatterns(
  deps: TemplateDeps,
  filter: LogFilter,
  { arrived, signal }: Within,
): Promise<{ total: number; found: Found[] }> {
  const binder = new Binder();
  const within =
    arrived === null
      ? ''
      : ` AND arrivedAt BETWEEN ${bindMicros(arrived.fromMicros, binder)} AND ${bindMicros(arrived.toMicros, binder)}`;
  const sql = `SELECT count(), arrayMap(one -> (lower(hex(one.2)), -one.1, one.3), groupArraySorted(${countCompared(deps.runner)})((-toInt64(entries), pattern, last)))
    FROM (
      SELECT pattern, count() AS entries, toUnixTimestamp64Micro(max(timestamp)) AS last
      FROM ${deps.table} WHERE ${formatConditions(filter, binder)}${within} GROUP BY pattern
    )`;
  const [row] = await queryPatterns(deps.runner, binder, { sql, signal });
  const [total, frequent] = row as unknown as [number, [string, number, number][]]; // matches the SELECT; an aggregate has one row
  return { total, found: frequent.map(readFound) };
}

export function readFound([digits, entries, lastMicros]: [string, number, number]): Found {
  return { pattern: digits.padStart(16, '0'), entries, lastMicros };
}

/** Reads an entry of each pattern whose template is unknown. */
export async function learnTemplates(
  { runner, table, patternTemplates }: TemplateDeps,
  { filter, found, signal }: { filter: LogFilter; found: readonly Found[]; signal: AbortSignal },
): Promise<void> {
  const unknown = found.filter(({ pattern }) => patternTemplates.get(pattern) === undefined);
  for (let at = 0; at < unknown.length; at += samplesPerStatement) {
    const wanted = unknown.slice(at, at + samplesPerStatement);
    const binder = new Binder();
    const sql = formatSamples({ table, filter, wanted, bodyBytesMax: templateBodyBytesMax }, binder);
    const rows = await queryPatterns(runner, binder, { sql, signal });
    for (const [index, [pattern, sample]] of [...readSamples(rows)].entries()) {
      if (index % describedPerTurn === 0) await nextTurn();
      patternTemplates.describe(pattern, sample);
    }
  }
}
