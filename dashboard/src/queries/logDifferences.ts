/** Exact counts of each field's values in two time spans. */
import { queryOptions } from '@tanstack/react-query';
import { resolveField } from '@tapedeck/log-query-language';
import { api } from '../api.ts';
import { type Counted, type Difference, entriesMin } from '../pages/logs/compare/differences.ts';
import type { SpanPair } from '../pages/logs/compare/spans.ts';
import { addTerm, makeTerm } from '../pages/logs/queryFilters.ts';
import { countMatches } from './logCounts.ts';
import { type LogPattern, nameValues } from './logPatterns.ts';
import { askAgainAfter, type LogQuestion, logsKeyOf } from './logs.ts';

const fieldsMax = 30; // the fields with the most entries
const countedMax = 100; // values of a field in one response
const recountedMax = 20; // values that one span lacks
const valueCharactersMax = 200; // longer ones make long queries
const recountedRowsMax = 24; // patterns that one span does not list
const atOnce = 4;
/** Fields that differ in nearly all entries, or are compared as patterns. */
const uncompared = ['body', 'traceId', 'parentId', 'pattern'];
const always = ['level', 'resource', 'dataset'];

type LogRequest = { key: string; pair: () => SpanPair | null };

export type Comparison = {
  differences: readonly Difference[];
  /** Fields, with the patterns as one more. Until all are compared, the differences are those found so far. */
  compared: number;
  fields: number;
};

export function differencesQuery(project: string, { key, pair }: LogRequest) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'differences', key],
    queryFn: async ({ signal, client, queryKey }): Promise<Comparison> => {
      const spans = pair();
      if (spans === null) return { differences: [], compared: 0, fields: 0 };
      const isFirst = client.getQueryData(queryKey) === undefined;
      const count = countIn(project, signal);
      const { data } = await api.listProjectLogFields(
        { params: { project }, query: { ...spans.now } },
        { signal },
      );
      const named = data.map(({ name }) => name).filter(name => !uncompared.includes(name));
      const fields = [...new Set([...always, ...named])].slice(0, fieldsMax);
      let comparison: Comparison = { differences: [], compared: 0, fields: fields.length + 1 };
      const add = (found: readonly Difference[], compared: number) => {
        const differences = [...comparison.differences, ...found];
        comparison = { ...comparison, differences, compared: comparison.compared + compared };
        // A refresh replaces the earlier comparison only once it is complete.
        if (isFirst && !signal.aborted) client.setQueryData(queryKey, comparison);
      };
      const compare = async () => {
        for (let at = 0; at < fields.length; at += atOnce) {
          const some = fields.slice(at, at + atOnce);
          const found = await Promise.all(some.map(field => compareValues(field, spans, count)));
          add(found.flat(), some.length);
        }
      };
      const patterns = comparePatterns(project, { spans, signal }).then(found => add(found, 1));
      await Promise.all([compare(), patterns]);
      return comparison;
    },
    staleTime: 60_000, // each refresh takes some dozen requests
    refetchInterval: askAgainAfter(),
  });
}

type Count = (question: LogQuestion, field: string) => Promise<Counted[]>;

function countIn(project: string, signal: AbortSignal): Count {
  return async (question, field) => {
    const query = { ...question, field, limit: countedMax };
    return (await api.listProjectLogValues({ params: { project }, query }, { signal })).data;
  };
}

async function compareValues(field: string, { now, before }: SpanPair, count: Count): Promise<Difference[]> {
  const [counted, earlier] = await Promise.all([count(now, field), count(before, field)]);
  const [ofNow, ofBefore] = await Promise.all([
    complete({ known: counted, other: earlier, question: now, field }, count),
    complete({ known: earlier, other: counted, question: before, field }, count),
  ]);
  const values = new Set([...ofNow.keys(), ...ofBefore.keys()]);
  return [...values].flatMap(value => {
    const [here, there] = [ofNow.get(value), ofBefore.get(value)];
    // Skips values without an exact count in both spans.
    if (here === undefined || there === undefined) return [];
    return [{ field, value, label: value, now: here, before: there }];
  });
}

type Side = {
  known: readonly Counted[];
  /** Counts in the other span. */
  other: readonly Counted[];
  question: LogQuestion;
  field: string;
};

/** Adds values that only the other span lists: with 0, or counted by name if this list was cut off. */
async function complete({ known, other, question, field }: Side, count: Count): Promise<Map<string, number>> {
  const counts = new Map(known.map(each => [each.value, each.count]));
  const missing = other.map(({ value }) => value).filter(value => !counts.has(value));
  if (known.length < countedMax) {
    for (const value of missing) counts.set(value, 0);
    return counts;
  }
  const asked = resolveField(field);
  const named = missing.filter(value => value.length <= valueCharactersMax).slice(0, recountedMax);
  // A response holds all levels.
  if (named.length === 0 || asked.kind === 'level' || asked.kind === 'body') return counts;
  const values = named.map(text => ({ kind: 'equals', text }) as const);
  const query = addTerm(question.query ?? '', { kind: 'field', field: asked, values });
  for (const value of named) counts.set(value, 0);
  for (const each of await count({ ...question, query }, field)) counts.set(each.value, each.count);
  return counts;
}

type PatternsAsked = { spans: SpanPair; signal: AbortSignal };
/** A row by its text; `values` are all patterns to query for it. */
type CountedRow = { found: LogPattern; values: readonly string[]; entries: number };

/** Compares the rows of the patterns page. If only one span lists a row, counts it in the other. */
async function comparePatterns(project: string, { spans, signal }: PatternsAsked): Promise<Difference[]> {
  const list = async (query: LogQuestion) =>
    joinRows((await api.listProjectLogPatterns({ params: { project }, query }, { signal })).data);
  const [ofNow, ofBefore] = await Promise.all([list(spans.now), list(spans.before)]);
  const count = (question: LogQuestion, { values }: CountedRow) =>
    countMatches(
      project,
      { ...question, query: addTerm(question.query ?? '', makeTerm('pattern', values)) },
      signal,
    );
  const rows = [...new Map([...ofBefore, ...ofNow]).entries()]
    .map(([key, row]) => [key, row, Math.max(row.entries, ofBefore.get(key)?.entries ?? 0)] as const)
    .filter(([, , entries]) => entries >= entriesMin)
    .sort(([, , one], [, , other]) => other - one);
  const alone = rows.filter(([key]) => !(ofNow.has(key) && ofBefore.has(key))).slice(recountedRowsMax);
  const unknown = new Set(alone.map(([key]) => key));
  const found: Difference[] = [];
  const compared = rows.filter(([key]) => !unknown.has(key));
  for (let at = 0; at < compared.length; at += atOnce) {
    const some = compared.slice(at, at + atOnce).map(async ([key, row]) => {
      const { template, paths } = row.found;
      const [now, before] = await Promise.all([
        ofNow.get(key)?.entries ?? count(spans.now, row),
        ofBefore.get(key)?.entries ?? count(spans.before, row),
      ]);
      return { field: 'pattern', value: key, values: row.values, label: template, paths, now, before };
    });
    found.push(...(await Promise.all(some)));
  }
  return found;
}

/** Joins patterns of two versions with the same text. */
function joinRows(rows: readonly LogPattern[]): Map<string, CountedRow> {
  const joined = new Map<string, CountedRow>();
  for (const found of rows) {
    const known = joined.get(found.template);
    // The other span may have patterns of a merged row that this one lacks.
    const own = found.merged ? [found.template] : nameValues(found);
    const values = [...new Set([...(known?.values ?? []), ...own])];
    joined.set(found.template, { found, values, entries: found.entries + (known?.entries ?? 0) });
  }
  return joined;
}
