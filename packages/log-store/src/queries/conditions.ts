/** A filter becomes the conditions of a statement. */
import { type LogFilter, type LogOrder, parseTraceId } from '@tapedeck/log-entries';
import type { Condition } from '@tapedeck/log-query-language';
import { Binder, bindMicros, microsMin } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { joinAll, joinAny } from './comparisons.ts';
import { listAlternatives } from './expressionLiterals.ts';
import { isNarrowed } from './indexPruning.ts';
import type { KnownWords } from './knownWords.ts';
import { isNowhere, listPartsWithout } from './pairConditions.ts';
import { unmergedName } from './parts.ts';
import { type Alternative, type Division, formatSearch, formatSearchApart } from './searches.ts';
import { formatTerm, type TermPlace } from './terms.ts';

const hintsValuesMax = 300; // the engine takes 1,000 values with a question, settings included

/** For one statement. What indexes know stands beside what decides, unless few entries are looked at anyway. */
export function formatConditions(filter: LogFilter, binder: Binder, mayHint = true): string {
  return [...formatScope(filter, binder), ...formatCondition(filter.condition, { binder, mayHint })].join(
    ' AND ',
  );
}

/**
 * Clauses of several statements that together find what the filter asks for, and nothing twice. A text that few entries
 * hold is looked for in each index separately. Parts without indexes are read once, by the condition itself, because
 * the columns of the indexes are slow to compute. If the words or pairs of parts are known, parts are left out, or there
 * is no statement at all, since nothing can match.
 */
export function formatConditionsApart(
  { table, known = null }: { table: string; known?: KnownWords | null },
  filter: LogFilter,
  binder: Binder,
): string[] {
  if (known !== null && isNowhere(filter.condition, known)) return [];
  const others = formatOtherParts(filter.condition, binder, known);
  const division = divide(filter.condition, binder, known);
  const apart = division?.alternatives;
  if (apart === undefined || apart.length > statementsMax)
    return [`WHERE ${[...others, formatConditions(filter, binder)].join(' AND ')}`];
  const scope = [...others, ...formatScope(filter, binder)];
  const isWhole = apart.length === 1 && !division?.isNarrowed;
  if (isWhole || table !== localTable || known?.areMerged)
    return apart.map(alternative => formatClause(alternative, scope));
  const decisive = formatCondition(filter.condition, { binder, mayHint: false });
  return [
    ...apart.map(alternative => formatClause(alternative, [...scope, `NOT ${isUnmerged}`])),
    formatClause({ conditions: decisive }, [...scope, isUnmerged]),
  ];
}

/**
 * For one statement that something else leads to few blocks. What has to be looked for in texts is decided last, about the entries that all
 * other conditions leave: each index of words would take a statement of its own, and all of those read the same blocks.
 */
export function formatConditionsOfFew(filter: LogFilter, binder: Binder, known: KnownWords | null): string {
  const { condition } = filter;
  const terms = condition.kind === 'and' ? condition.trees : [condition];
  const last = terms.filter(looksAtTexts);
  const first = terms.filter(term => !last.includes(term));
  const conditions = first.flatMap(term => formatCondition(term, { binder, mayHint: true }));
  const decided = last.flatMap(term => formatCondition(term, { binder, mayHint: false }));
  return formatClause(last.length === 0 ? { conditions } : { conditions, last: joinAll(decided) }, [
    ...formatOtherParts(condition, binder, known),
    ...formatScope(filter, binder),
  ]);
}

/** Leaves out parts that are known to lack what is asked for. */
function formatOtherParts(condition: Condition, binder: Binder, known: KnownWords | null): string[] {
  const lacking = known === null ? [] : [...listPartsWithout(condition, known)];
  return lacking.length === 0 ? [] : [`_part NOT IN ${binder.bindWords(lacking)}`];
}

function looksAtTexts(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.trees.some(looksAtTexts);
    case 'not':
      return looksAtTexts(condition.tree);
    default:
      return !['field', 'level', 'everything'].includes(condition.kind);
  }
}

/** More conditions may follow with AND. */
function formatClause({ conditions, last }: Alternative, scope: readonly string[]): string {
  const first = [...scope, ...conditions].join(' AND ');
  return last === undefined ? `WHERE ${first}` : `PREWHERE ${first} WHERE ${last}`;
}

/**
 * Holds for entries whose part was inserted and not yet merged: such parts have no indexes. On one server, the
 * statements of a query see the same parts (`queryRunner.ts`). The shards of a cluster get each statement separately.
 */
const isUnmerged = `match(_part, '${unmergedName.source}')`;

/** Whether it helps to know which words there are. */
export function asksForWords({ condition }: LogFilter): boolean {
  return (divide(condition, new Binder(), null)?.alternatives.length ?? 0) > 1;
}

/** Table and conditions, for a statement that reads what matches; more conditions may follow with AND. */
export function formatMatches(
  { table, known = null }: { table: string; known?: KnownWords | null },
  filter: LogFilter,
  binder: Binder,
): string {
  const apart = formatConditionsApart({ table, known }, filter, binder);
  if (apart.length === 0) return `${table} WHERE 0`;
  if (apart.length === 1) return `${table} ${apart.join()}`;
  const statements = apart.map(clause => `SELECT ${matchColumns} FROM ${table} ${clause}`);
  return `(${statements.join(' UNION ALL ')}) WHERE 1`;
}

const matchColumns =
  'dataset, timestamp, identity, level, resource, parentId, body, pattern, metadata, arrivedAt';

const statementsMax = 9; // three words, each in three places

/** null when no index leads to what is asked for. */
function divide(condition: Condition, binder: Binder, words: KnownWords | null): Division | null {
  if (condition.kind === 'or') return divideAny(condition.trees, binder, words);
  const alternatives = listAlternatives(condition);
  if (alternatives !== null) return divideAny(alternatives, binder, words);
  if (condition.kind !== 'and') return formatSearchApart(condition, binder, words);
  let lead: Condition | null = null;
  let best: Division | null = null;
  for (const tree of condition.trees) {
    if (binder.count > hintsValuesMax) break;
    const division = divide(tree, binder, words);
    if (division === null || division.weight <= (best?.weight ?? 0)) continue;
    best = division;
    lead = tree;
  }
  if (best === null) return null;
  const others = condition.trees.filter(tree => tree !== lead);
  const besides = others.flatMap(tree => formatCondition(tree, { binder, mayHint: true }));
  return { ...best, alternatives: best.alternatives.map(alternative => narrow(alternative, besides)) };
}

/** Each tree finds what those before it do not. */
function divideAny(trees: readonly Condition[], binder: Binder, words: KnownWords | null): Division | null {
  const alternatives: Alternative[] = [];
  const before: string[] = [];
  let weight = Number.POSITIVE_INFINITY;
  let isNarrowed = false;
  for (const tree of trees) {
    const division = divide(tree, binder, words);
    if (division === null || binder.count > hintsValuesMax) return null;
    weight = Math.min(weight, division.weight);
    isNarrowed ||= division.isNarrowed;
    alternatives.push(...division.alternatives.map(alternative => narrow(alternative, before)));
    before.push(`NOT ${joinAll(formatCondition(tree, { binder, mayHint: false }))}`);
  }
  return { weight, alternatives, isNarrowed };
}

function narrow(alternative: Alternative, more: readonly string[]): Alternative {
  return { ...alternative, conditions: [...alternative.conditions, ...more] };
}

function formatScope(filter: LogFilter, binder: Binder): string[] {
  return [
    `project = ${binder.bind('String', filter.project)}`,
    ...formatDatasets(filter.datasets, binder),
    ...formatTimes(filter, binder),
  ];
}

/** Whether the condition holds, as one expression. */
export function formatWhole(condition: Condition, binder: Binder): string {
  return joinAll(formatCondition(condition, { binder, mayHint: false }));
}

/** All of them must hold. */
function formatCondition(condition: Condition, place: TermPlace): string[] {
  const { binder } = place;
  switch (condition.kind) {
    case 'and':
      return condition.trees.flatMap(tree => formatCondition(tree, place));
    case 'or': {
      // Of what one of them may hold for nothing is left out: hints of the others would be computed for each entry in vain.
      const mayHint = place.mayHint && condition.trees.every(isNarrowed);
      return [joinAny(condition.trees.map(tree => joinAll(formatCondition(tree, { binder, mayHint }))))];
    }
    case 'not':
      return [`NOT (${joinAll(formatCondition(condition.tree, { binder, mayHint: false }))})`];
    default: {
      const hinted = { binder, mayHint: place.mayHint && binder.count < hintsValuesMax };
      return formatSearch(condition, hinted) ?? formatTerm(condition, hinted);
    }
  }
}

/** True when nothing narrows the question but what the key of the table is made of: project, dataset and time. */
export function asksByKeyAlone({ condition }: LogFilter): boolean {
  return condition.kind === 'everything';
}

/** Entries that follow a place in the order; the first half of the condition is for the primary key. */
export function formatAfter(traceId: string, order: LogOrder, binder: Binder): string {
  const halves = parseTraceId(traceId);
  if (halves === null) return '0';
  const [atMost, less] = order === 'desc' ? ['<=', '<'] : ['>=', '>'];
  const time = bindMicros(halves.timestampMicros, binder);
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return `timestamp ${atMost} ${time} AND (timestamp ${less} ${time} OR identity ${less} ${identity})`;
}

export function formatDatasets(datasets: readonly string[] | null, binder: Binder): string[] {
  if (datasets === null) return [];
  const [only] = datasets;
  // Equality lets the engine read in the order of the key.
  if (datasets.length === 1 && only !== undefined) return [`dataset = ${binder.bind('String', only)}`];
  return datasets.length === 0 ? ['0'] : [`dataset IN ${binder.bindWords(datasets)}`];
}

function formatTimes({ fromMicros, toMicros }: LogFilter, binder: Binder): string[] {
  return [
    ...(fromMicros === null ? [] : [`timestamp >= ${bindMicros(fromMicros, binder)}`]),
    ...(toMicros === null
      ? []
      : toMicros < microsMin
        ? ['0']
        : [`timestamp <= ${bindMicros(toMicros, binder)}`]),
  ];
}
