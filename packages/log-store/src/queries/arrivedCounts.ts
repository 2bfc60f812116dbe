/**
 * Counts what arrived in a span of time, for many questions at once. A first look finds out which of them have a chance to match
 * anything; those alone are counted, several in one statement.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import { Binder, bindMicros } from './binder.ts';
import { formatConditions } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import type { ArrivedCount, ArrivedQuestion, SettledSpan } from './logQueries.ts';
import { findNeedles, formatAny, formatFound, haystackNames, type Needle } from './needles.ts';
import { askRows } from './running.ts';
import { formatValue } from './series.ts';
import type { Row } from './statements.ts';

type Asked = { span: SettledSpan; signal: AbortSignal };

/** A question with its place among those that were asked. */
type Pending = { question: ArrivedQuestion; index: number; needles: readonly Needle[] | null };

const valuesMax = 250; // of a statement: the engine takes 1,000, settings included
const groupsMax = 20_000; // of a question that is split: times and values, the most frequent ones
const valueCharactersMax = 256; // beyond which values are the same
const groupBytesMax = 64 * 1024 * 1024; // more groups are put on the engine's disk

export async function countArrived(
  deps: CountDeps,
  questions: readonly ArrivedQuestion[],
  asked: Asked,
): Promise<ArrivedCount[][]> {
  const counts = questions.map((): ArrivedCount[] => []);
  const { fromMicros, toMicros } = asked.span;
  if (questions.length === 0 || fromMicros >= toMicros) return counts;
  const pending = questions.map(
    (question, index): Pending => ({ question, index, needles: findNeedles(question.filter.condition) }),
  );
  const hopeful = await findHopeful(deps, pending, asked);
  const whole = hopeful.filter(({ question }) => question.by === null);
  // Those that look for their needles in the same places are asked together: other entries are not looked at then.
  const alike = Map.groupBy(whole, ({ needles }) => needles?.map(({ haystack }) => haystack).join() ?? '');
  await Promise.all([
    ...hopeful
      .filter(({ question }) => question.by !== null)
      .map(async one => {
        counts[one.index] = await countSplit(deps, one, asked);
      }),
    ...[...alike.values()].flatMap(divide).map(async chunk => {
      const found = await countWhole(deps, chunk, asked);
      for (const [place, { index }] of chunk.entries()) counts[index] = found[place]!;
    }),
  ]);
  return counts;
}

/** Leaves out questions that nothing can match of what arrived. */
async function findHopeful(deps: CountDeps, pending: readonly Pending[], asked: Asked): Promise<Pending[]> {
  const binder = new Binder();
  const needles = new Map(
    haystackNames.map(name => {
      const ofHaystack = pending.flatMap(one =>
        (one.needles ?? []).filter(({ haystack }) => haystack === name),
      );
      return [name, [...new Set(ofHaystack.map(({ text }) => text))]] as const;
    }),
  );
  for (const [name, texts] of needles) if (texts.length === 0) needles.delete(name);
  const projects = [...new Set(pending.map(({ question }) => question.filter.project))];
  const columns = ['groupUniqArray((project, dataset))', ...formatFound(needles, binder)];
  const sql = `SELECT ${columns.join(', ')} FROM ${deps.table}
    WHERE ${formatSpan(asked.span, binder)} AND project IN ${binder.bindWords(projects)}`;
  const [row] = await ask(deps, { sql, binder }, asked.signal);
  const [places, ...found] = row as [[string, string][], ...number[][]]; // as selected: an aggregate has one row
  const present = new Map(
    [...needles].map(([name, texts], index) => [name, pickFound(texts, found[index]!)]),
  );
  return pending.filter(({ question: { filter }, needles: own }) => {
    const { project, datasets } = filter;
    const isThere = places.some(
      ([owner, dataset]) => owner === project && (datasets === null || datasets.includes(dataset)),
    );
    return isThere && (own?.some(({ haystack, text }) => present.get(haystack)?.has(text)) ?? true);
  });
}

function pickFound(texts: readonly string[], indices: readonly number[]): ReadonlySet<string> {
  return new Set(indices.map(index => texts[index - 1]!));
}

/** As many in one statement as its values allow. */
function divide(pending: readonly Pending[]): Pending[][] {
  const chunks: Pending[][] = [];
  let values = Number.POSITIVE_INFINITY;
  for (const one of pending) {
    const trial = new Binder();
    formatConditions(openTimes(one.question.filter), trial, false);
    values += trial.count;
    if (values > valuesMax) {
      chunks.push([]);
      values = trial.count;
    }
    chunks.at(-1)!.push(one);
  }
  return chunks;
}

async function countWhole(
  deps: CountDeps,
  chunk: readonly Pending[],
  { span, signal }: Asked,
): Promise<ArrivedCount[][]> {
  const binder = new Binder();
  const columns = chunk.map(
    ({ question }) => `countIf(${formatConditions(openTimes(question.filter), binder, false)})`,
  );
  const needles = chunk.every(one => one.needles !== null) ? chunk.flatMap(one => one.needles ?? []) : [];
  const projects = [...new Set(chunk.map(({ question }) => question.filter.project))];
  const conditions = [
    formatSpan(span, binder),
    `project IN ${binder.bindWords(projects)}`,
    ...(needles.length === 0 ? [] : [formatAny(needles, binder)]),
  ];
  const sql = `SELECT toUnixTimestamp64Milli(arrivedAt) AS ms, ${columns.join(', ')} FROM ${deps.table}
    WHERE ${conditions.join(' AND ')} GROUP BY ms ORDER BY ms`;
  const counts = chunk.map((): ArrivedCount[] => []);
  // As selected.
  for (const [ms, ...found] of (await ask(deps, { sql, binder }, signal)) as [number, ...number[]][])
    for (const [place, count] of found.entries())
      if (count > 0) counts[place]!.push({ ms, value: '', count });
  return counts;
}

async function countSplit(
  deps: CountDeps,
  { question }: Pending,
  { span, signal }: Asked,
): Promise<ArrivedCount[]> {
  const binder = new Binder();
  const { field, known } = question.by!;
  const { value, isPresent } = formatValue(field, binder);
  const knownFirst = known.length === 0 ? '' : `value IN ${binder.bindTexts(known)} DESC, `;
  const sql = `SELECT toUnixTimestamp64Milli(arrivedAt) AS ms, leftUTF8(${value}, ${valueCharactersMax}) AS value, count() AS entries
    FROM ${deps.table}
    WHERE ${formatSpan(span, binder)} AND ${formatConditions(openTimes(question.filter), binder, false)} AND ${isPresent}
    GROUP BY ms, value ORDER BY ${knownFirst}entries DESC, ms, value LIMIT ${groupsMax}`;
  const rows = await ask(deps, { sql, binder }, signal);
  // As selected.
  return (rows as [number, string, number][]).map(([ms, found, count]) => ({ ms, value: found, count }));
}

/** Whatever the entries' own times say: they count by their arrival. */
export function openTimes(filter: LogFilter): LogFilter {
  return { ...filter, fromMicros: null, toMicros: null };
}

export function formatSpan({ fromMicros, toMicros }: SettledSpan, binder: Binder): string {
  return `arrivedAt >= ${bindMicros(fromMicros, binder)} AND arrivedAt < ${bindMicros(toMicros, binder)}`;
}

function ask(
  deps: CountDeps,
  { sql, binder }: { sql: string; binder: Binder },
  signal: AbortSignal,
): Promise<Row[]> {
  const settings = { max_bytes_before_external_group_by: groupBytesMax };
  return askRows(deps.runner, { weight: 'light', signal }, { sql, parameters: binder.parameters, settings });
}
