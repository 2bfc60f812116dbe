/**
 * Counts values of metadata paths with few distinct values by the dictionary of an index. The kept counts show whether the
 * dictionary has all values of a part: if the index is missing or lacks values, its counts add up to less. After
 * deletions, they would add up to more, so it does not use the index of such a part.
 */

import { Binder } from '../../writer/engine/statements.ts';
import { database, localTable, valueIndex } from '../../writer/schema/schema.ts';
import { formatConditions } from '../conditions.ts';
import type { Part } from '../parts.ts';
import { runQuery } from '../queryRunner.ts';
import { bindParts, formatFieldCounts, formatSpan, querySources, type Sources } from './counts.ts';

/** Moves parts to `others` if their index does not have all values at the path. */
export async function chooseIndexed(sources: Sources, path: string): Promise<Sources> {
  const { counted, others } = sources;
  const [entries, indexed, struck] = await Promise.all([
    countEntries(sources, path),
    countIndexed(sources, path),
    findStruck(sources),
  ]);
  const isIndexed = ({ name }: Part) =>
    !struck.has(name) && (entries.get(name) ?? 0) === (indexed.get(name) ?? 0);
  return {
    ...sources,
    counted: counted.filter(isIndexed),
    others: [...others, ...counted.filter(part => !isIndexed(part))],
  };
}

/** Counts, by part, the entries that have the path. */
async function countEntries(sources: Sources, path: string): Promise<Map<string, number>> {
  const binder = new Binder();
  const kept = formatFieldCounts(sources, binder);
  if (kept === null) return new Map();
  const sql = `SELECT part, sum(finalizeAggregation(entries)) FROM ${kept}
    AND arrayExists(path -> path = ${binder.bind('String', path)}, paths) GROUP BY part`;
  return new Map((await querySources({ ...sources, others: [] }, sql, binder)) as [string, number][]); // matches the SELECT
}

/** Counts, by part, the entries whose value the index has. */
async function countIndexed(sources: Sources, path: string): Promise<Map<string, number>> {
  const binder = new Binder();
  const words = formatWords(sources, path, binder);
  if (words === null) return new Map();
  const sql = `SELECT part_name, sum(cardinality) FROM ${words} GROUP BY part_name`;
  return new Map((await querySources({ ...sources, others: [] }, sql, binder)) as [string, number][]); // matches the SELECT
}

/** Finds parts with deleted entries in the requested slots. The key gives the counts with and without deleted entries. */
async function findStruck({ runner, filter, signal, slots, counted }: Sources): Promise<Set<string>> {
  const parts = counted.filter(({ isStruck }) => isStruck);
  if (parts.length === 0 || slots === null) return new Set();
  const count = async (applies: 0 | 1) => {
    const binder = new Binder();
    const conditions = formatConditions({ ...filter, fromMicros: null, toMicros: null }, binder);
    const sql = `SELECT _part, count() FROM ${localTable}
      WHERE ${conditions}${formatSpan('timestamp', slots, binder)} AND _part IN ${bindParts(parts, binder)} GROUP BY _part`;
    // Kept counts never include deleted entries, so projections are off.
    const settings = { apply_deleted_mask: applies, optimize_use_projections: 0 };
    const statement = { sql, parameters: binder.parameters, settings };
    return new Map((await runQuery(runner, { weight: 'light', signal }, statement)) as [string, number][]); // matches the SELECT
  };
  const [before, now] = await Promise.all([count(0), count(1)]);
  return new Set(
    [...before].filter(([part, entries]) => entries !== (now.get(part) ?? 0)).map(([part]) => part),
  );
}

/** Reads values with their counts from the index. */
export function formatIndexedValues(sources: Sources, path: string, binder: Binder): string[] {
  const words = formatWords(sources, path, binder);
  if (words === null) return [];
  return [
    `SELECT substring(place, position(place, '\\0') + 1) AS value, toInt64(cardinality) AS number FROM ${words}`,
  ];
}

const tableName = localTable.slice(database.length + 1);
const slotDigits = 8;
const secondMicros = 1_000_000;

/** Formats a table over the index for a path in the slots. `place` is the dataset and, after a NUL, the value. */
function formatWords({ filter, slots, counted }: Sources, path: string, binder: Binder): string | null {
  if (slots === null || counted.length === 0) return null;
  const beginning = `${filter.project}\0${formatHex(Buffer.byteLength(path), 4)}${path}`;
  const length = Buffer.byteLength(beginning);
  const conditions = [
    `part_name IN ${bindParts(counted, binder)}`,
    `startsWith(token, ${binder.bind('String', beginning)})`,
    ...(slots.fromMicros === null ? [] : [`slot >= '${formatSlot(slots.fromMicros)}'`]),
    ...(slots.toMicros === null ? [] : [`slot < '${formatSlot(slots.toMicros)}'`]),
    ...(filter.datasets === null
      ? []
      : [`substring(place, 1, position(place, '\\0') - 1) IN ${binder.bindWords(filter.datasets)}`]),
  ];
  return `(SELECT *, substring(token, ${length + 1}, ${slotDigits}) AS slot, substring(token, ${length + slotDigits + 1}) AS place
      FROM mergeTreeTextIndex('${database}', '${tableName}', '${valueIndex.name}')) WHERE ${conditions.join(' AND ')}`;
}

function formatSlot(micros: number): string {
  return formatHex(Math.floor(micros / secondMicros), slotDigits);
}

/** Formats a number as the engine does. */
function formatHex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0');
}
