/** Finds which fields the matches have, and what they hold: the level, the resource and all paths of metadata. */
import type { LogField, LogFieldUse, LogFilter } from '@tapedeck/log-entries';
import { metadataPrefix, reservedNames, resolveField } from '@tapedeck/log-query-language';
import { Binder } from './binder.ts';
import { formatConditions } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import { numberPattern } from './fields.ts';
import { askRows } from './running.ts';

export async function findFields(
  deps: CountDeps,
  filter: LogFilter,
  { prefix, limit, signal }: { prefix: string; limit: number; signal: AbortSignal },
): Promise<LogFieldUse[]> {
  const binder = new Binder();
  const conditions = formatConditions(filter, binder);
  const sql = `SELECT name, entries, numbers = entries FROM (
      SELECT ${formatName('path', binder)} AS name, count() AS entries, countIf(${isNumber('value')}) AS numbers
      FROM ${deps.table} ARRAY JOIN mapKeys(metadata) AS path, mapValues(metadata) AS value
      WHERE ${conditions} GROUP BY path
      UNION ALL
      SELECT 'level', count(), 0 FROM ${deps.table} WHERE ${conditions}
      UNION ALL
      SELECT 'resource', count(), countIf(${isNumber('resource')}) FROM ${deps.table}
      WHERE ${conditions} AND resource != ''
    )
    WHERE entries > 0 AND startsWith(name, ${binder.bind('String', prefix)})
    ORDER BY entries DESC, name LIMIT ${binder.bind('UInt32', limit)}`;
  const asking = { weight: 'heavy', signal } as const;
  const rows = await askRows(deps.runner, asking, { sql, parameters: binder.parameters });
  // As selected.
  return (rows as [string, number, 0 | 1][]).map(([name, entries, allNumbers]) => ({
    field: readName(name),
    kind: allNumbers === 1 ? 'number' : 'text',
    entries,
  }));
}

/** Of a path, as `nameField` gives it. */
function formatName(path: string, binder: Binder): string {
  const metadata = binder.bind('String', metadataPrefix);
  const needsPrefix = `(${path} IN ${binder.bindWords(reservedNames)} OR startsWith(${path}, ${metadata}))`;
  return `if(${needsPrefix}, concat(${metadata}, ${path}), ${path})`;
}

/** What was named above. */
function readName(name: string): LogField {
  return resolveField(name) as LogField; // the level, the resource and paths are
}

function isNumber(text: string): string {
  return `match(${text}, '${numberPattern}')`;
}
