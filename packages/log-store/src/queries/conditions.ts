/** Translates filters to conditions of statements. */
import { type LogFilter, type LogOrder, parseTraceId } from '@tapedeck/log-entries';
import { type Condition, isParsedField } from '@tapedeck/log-query-language';
import { Binder, bindMicros, microsMin } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { type Alternative, type Division, formatSearchesApart, hintsValuesMax } from './dividedSearches.ts';
import { listAlternatives } from './expressionLiterals.ts';
import { isNarrowed } from './indexPruning.ts';
import type { KnownWords } from './knownWords.ts';
import { isNowhere, listPartsWithout } from './partConditions.ts';
import { unmergedName } from './parts.ts';
import { formatTerm, type TermPlace } from './terms.ts';
import { defineTexts, formatSearch, joinAll, joinAny } from './textConditions.ts';

/** Formats the conditions of one statement. Adds hints for indexes, which only pay if the statement reads many entries. */
export function formatConditions(filter: LogFilter, binder: Binder, mayHint = true): string {
  const { condition } = filter;
  return defineTexts(
    [...formatScope(filter, binder), ...formatCondition(condition, { binder, mayHint })].join(' AND '),
  );
}

/**
 * Formats the clauses of several statements that together find every match once. They search each index separately for a
 * rare text. One statement reads parts without indexes by the condition itself, because the indexed columns are slow to
 * compute. If words or pairs of parts are known, it leaves out parts, or returns no statement if nothing can match.
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
    return [formatWithoutDivision(filter, binder, others)];
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
 * Formats the conditions of one statement. Texts are searched for before members are looked up: left to itself, the engine looks up members in every
 * entry. Without such texts, the engine's own order is better.
 */
function formatWithoutDivision(filter: LogFilter, binder: Binder, others: readonly string[]): string {
  const { condition } = filter;
  const terms = condition.kind === 'and' ? condition.trees : [condition];
  const last = terms.filter(readsMembers);
  const first = terms.filter(term => !last.includes(term));
  if (last.length === 0 || !first.some(readsTexts))
    return `WHERE ${[...others, formatConditions(filter, binder)].join(' AND ')}`;
  const conditions = first.flatMap(term => formatCondition(term, { binder, mayHint: true }));
  const decided = last.flatMap(term => formatCondition(term, { binder, mayHint: false }));
  return formatClause({ conditions, last: joinAll(decided) }, [...others, ...formatScope(filter, binder)]);
}

function readsMembers(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.trees.some(readsMembers);
    case 'not':
      return readsMembers(condition.tree);
    default:
      return (
        ['plainMembers', 'plainPairs'].includes(condition.kind) ||
        ('field' in condition && isParsedField(condition.field))
      );
  }
}

type PageKind = {
  /** The few blocks with matches are known. */
  isScattered: boolean;
  /** The statement reads too few entries for indexes to help. */
  isLittle: boolean;
  /** The page skips so many entries that indexes save nothing. */
  isFar: boolean;
};

/** Formats the clauses of a page, one per statement; none if nothing can match. */
export function formatPageClauses(
  { table, known }: { table: string; known: KnownWords | null },
  filter: LogFilter,
  { isScattered, isLittle, isFar, binder }: PageKind & { binder: Binder },
): string[] {
  if (isLittle || isFar) return [`WHERE ${formatConditions(filter, binder, !isLittle)}`];
  const clauses = formatConditionsApart({ table, known }, filter, binder);
  return isScattered && clauses.length > 1 ? [formatConditionsOfFew(filter, binder, known)] : clauses;
}

/**
 * Formats the conditions of one statement that already reads few blocks. It checks texts last, on the entries that the other conditions
 * leave. Using word indexes would take a separate statement for each, and all of those would read the same blocks.
 */
function formatConditionsOfFew(filter: LogFilter, binder: Binder, known: KnownWords | null): string {
  const { condition } = filter;
  const terms = condition.kind === 'and' ? condition.trees : [condition];
  const last = terms.filter(readsTexts);
  const first = terms.filter(term => !last.includes(term));
  const conditions = first.flatMap(term => formatCondition(term, { binder, mayHint: true }));
  const decided = last.flatMap(term => formatCondition(term, { binder, mayHint: false }));
  return formatClause(last.length === 0 ? { conditions } : { conditions, last: joinAll(decided) }, [
    ...formatOtherParts(condition, binder, known),
    ...formatScope(filter, binder),
  ]);
}

/** Excludes parts that are known to have no match. */
function formatOtherParts(condition: Condition, binder: Binder, known: KnownWords | null): string[] {
  const lacking = known === null ? [] : [...listPartsWithout(condition, known)];
  return lacking.length === 0 ? [] : [`_part NOT IN ${binder.bindWords(lacking)}`];
}

function readsTexts(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.trees.some(readsTexts);
    case 'not':
      return readsTexts(condition.tree);
    default:
      return !['field', 'level', 'everything'].includes(condition.kind);
  }
}

/** Callers may append conditions with AND. */
function formatClause({ conditions, last }: Alternative, scope: readonly string[]): string {
  const first = [...scope, ...conditions].join(' AND ');
  return defineTexts(last === undefined ? `WHERE ${first}` : `PREWHERE ${first} WHERE ${last}`);
}

/**
 * Matches entries in parts that have not been merged yet: such parts have no indexes. On one server, the statements of a
 * query see the same parts (`queryRunner.ts`). In a cluster, shards get each statement separately.
 */
const isUnmerged = `match(_part, '${unmergedName.source}')`;

/** Whether known words can help the query. */
export function canUseWords({ condition }: LogFilter): boolean {
  return (divide(condition, new Binder(), null)?.alternatives.length ?? 0) > 1;
}

/** Formats the table and conditions of a statement that reads matches. Callers may append conditions with AND. */
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

const statementsMax = 9; // for three words in three places each

/** Divides a condition for several statements; null if no index leads to its matches. */
function divide(condition: Condition, binder: Binder, words: KnownWords | null): Division | null {
  if (condition.kind === 'or') return divideAny(condition.trees, binder, words);
  const alternatives = listAlternatives(condition) ?? listTexts(condition);
  if (alternatives !== null) return divideAny(alternatives, binder, words);
  if (condition.kind !== 'and') return formatSearchesApart([condition], binder, words);
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

/** Lists the texts of a term with several, any of which may be in the body: each has its own place in the index. */
function listTexts(condition: Condition): Condition[] | null {
  if (condition.kind !== 'body' || condition.values.length < 2) return null;
  return condition.values.map(value => ({ kind: 'body', values: [value] }));
}

/** Each tree excludes the matches of the previous ones. */
function divideAny(trees: readonly Condition[], binder: Binder, words: KnownWords | null): Division | null {
  const together = formatSearchesApart(trees, binder, words);
  if (together !== null) return together;
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

/** Formats the condition as one expression. */
export function formatWhole(condition: Condition, binder: Binder): string {
  return joinAll(formatCondition(condition, { binder, mayHint: false }));
}

/** Formats conditions that must all hold. */
function formatCondition(condition: Condition, place: TermPlace): string[] {
  const { binder } = place;
  switch (condition.kind) {
    case 'and':
      return condition.trees.flatMap(tree => formatCondition(tree, place));
    case 'or': {
      // If one tree has no hint, indexes cannot exclude anything, and the other hints would be computed for each entry in vain.
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

/** Whether only the columns of the key narrow the query: project, dataset and time. */
export function filtersByKeyOnly({ condition }: LogFilter): boolean {
  return condition.kind === 'everything';
}

/** Matches entries after a place in the order. The first half of the condition lets the engine use the primary key. */
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
