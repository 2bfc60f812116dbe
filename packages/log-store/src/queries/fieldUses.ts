/** Finds the fields of matches (level, resource and metadata paths) and whether their values are numbers. */
import type { LogField, LogFieldUse, LogFilter } from '@tapedeck/log-entries';
import { metadataPrefix, reservedNames, resolveField } from '@tapedeck/log-query-language';
import { Binder } from '../writer/engine/statements.ts';
import { numberPattern } from '../writer/schema/schema.ts';
import { formatConditions } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import { runQuery } from './queryRunner.ts';
import {
  formatFieldCounts,
  listReadings,
  queryServers,
  querySources,
  type RollupDeps,
  type Sources,
} from './rollups/counts.ts';
import { compareTexts } from './valueCounts.ts';

type FieldsRequest = { filter: LogFilter; prefix: string; limit: number; signal: AbortSignal };

/** A name, the number of entries that have it, and the number of those whose value is not a number. */
type NamedUse = [name: string, entries: number, texts: number];

const namesMax = 200_000; // per server, if there are several; beyond it, one server adds up for all

export async function findFields(
  deps: CountDeps & RollupDeps,
  filter: LogFilter,
  question: Omit<FieldsRequest, 'filter'>,
): Promise<LogFieldUse[]> {
  const request = { filter, ...question };
  const found = (await findKept(deps, request)) ?? (await findInEntries(deps, request));
  return found.map(([name, entries, texts]) => ({
    field: readName(name),
    kind: texts === 0 ? 'number' : 'text',
    entries,
  }));
}

async function findKept(deps: RollupDeps, request: FieldsRequest): Promise<NamedUse[] | null> {
  const isAlone = deps.shards.length === 1;
  const limit = isAlone ? request.limit : namesMax + 1;
  const answers = await queryServers(deps, request, async sources => {
    const binder = new Binder();
    const rows = listSources(sources, binder);
    if (rows.length === 0) return [];
    const found = await querySources(
      sources,
      formatUses(rows.join(' UNION ALL '), { ...request, limit }, binder),
      binder,
    );
    return found.length > namesMax ? null : (found as unknown as NamedUse[]); // matches the SELECT
  });
  if (answers === null || isAlone) return answers?.flat() ?? null;
  return addUses(answers.flat()).slice(0, request.limit);
}

function listSources(sources: Sources, binder: Binder): string[] {
  const kept = formatFieldCounts(sources, binder);
  const counts = `resource, paths, toInt64(finalizeAggregation(entries)) AS number,
    arrayMap(each -> toInt64(each), finalizeAggregation(texts)) AS texts`;
  // Statements that read entries come first (`listReadings`).
  return [
    ...listReadings(sources, ofEntries, binder),
    ...(kept === null ? [] : [`SELECT ${counts} FROM ${kept}`]),
  ];
}

function addUses(uses: readonly NamedUse[]): NamedUse[] {
  const total = new Map<string, NamedUse>();
  for (const [name, entries, texts] of uses) {
    const known = total.get(name) ?? [name, 0, 0];
    total.set(name, [name, known[1] + entries, known[2] + texts]);
  }
  return [...total.values()].sort((one, other) => other[1] - one[1] || compareTexts(one[0], other[0]));
}

async function findInEntries({ runner, table }: CountDeps, request: FieldsRequest): Promise<NamedUse[]> {
  const binder = new Binder();
  const rows = `SELECT ${ofEntries('1')} FROM ${table} WHERE ${formatConditions(request.filter, binder)}`;
  const sql = formatUses(rows, request, binder);
  const options = { weight: 'heavy', signal: request.signal } as const;
  return (await runQuery(runner, options, { sql, parameters: binder.parameters })) as unknown as NamedUse[]; // matches the SELECT
}

/** Selects an entry's resource, paths, its count, and the same count for each value that is not a number. */
function ofEntries(sign: string): string {
  return `resource, mapKeys(metadata) AS paths, toInt64(${sign}) AS number,
    arrayMap(value -> if(match(value, '${numberPattern}'), 0, toInt64(${sign})), mapValues(metadata)) AS texts`;
}

function formatUses(rows: string, { prefix, limit }: FieldsRequest, binder: Binder): string {
  const metadata = binder.bind('String', metadataPrefix);
  // Names fields like `nameField`.
  const isPlain = `NOT (path IN ${binder.bindWords(reservedNames)} OR startsWith(path, ${metadata}))`;
  return `SELECT if(isReserved OR ${isPlain}, path, concat(${metadata}, path)) AS name, entries, noNumbers
    FROM (
      SELECT path, isReserved, sum(each) AS entries, sum(text) AS noNumbers
      FROM (${rows})
      ARRAY JOIN
        arrayConcat(paths, ['level', 'resource']) AS path,
        arrayConcat(arrayWithConstant(length(paths), 0), [1, 1]) AS isReserved,
        arrayConcat(arrayWithConstant(length(paths), number), [number, if(resource = '', 0, number)]) AS each,
        arrayConcat(texts, [number, if(resource = '' OR match(resource, '${numberPattern}'), 0, number)]) AS text
      GROUP BY path, isReserved
    )
    WHERE entries > 0 AND startsWith(name, ${binder.bind('String', prefix)})
    ORDER BY entries DESC, name LIMIT ${binder.bind('UInt32', limit)}`;
}

/** Reads a name that the statement above formats. */
function readName(name: string): LogField {
  return resolveField(name) as LogField; // only level, resource and paths occur
}
