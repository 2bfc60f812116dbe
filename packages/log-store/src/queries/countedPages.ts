/**
 * Finds pages together with the number of all matches. If an index leads to few matches, one statement lists the keys of all of them:
 * that counts them, and tells which entries are on the page. A page and a count by themselves would both read the index and every match.
 */
import { type CountedLogs, composeTraceId, type LogFilter, type LogPage } from '@tapedeck/log-entries';
import { Binder } from '../writer/engine/statements.ts';
import { formatConditionsApart } from './conditions.ts';
import { type CountDeps, countEntries } from './counts.ts';
import { type EntryDeps, findEntries, isWorthALook } from './entries.ts';
import { readByKey } from './entriesByKey.ts';
import { PageRoom, splitPage } from './entryRows.ts';
import { isLed } from './indexPruning.ts';
import { isSmall } from './pageGuesses.ts';
import { findWords } from './partWords.ts';
import { runQuery } from './queryRunner.ts';
import { ledSettings } from './querySettings.ts';

type Deps = EntryDeps & CountDeps;
type Page = LogPage & { signal: AbortSignal };

const matchesMax = 1_000; // listing more costs as much as counting them, and then they are counted again

export async function findCountedEntries(deps: Deps, filter: LogFilter, page: Page): Promise<CountedLogs> {
  const few = (await areFew(deps, filter, page)) ? await findAmongFew(deps, filter, page) : null;
  if (few !== null) return few;
  const [found, total] = await Promise.all([
    findEntries(deps, filter, page),
    countEntries(deps, filter, page.signal),
  ]);
  return { ...found, total };
}

/** Whether an index leads to the matches, and a sample promises few. Without the words of parts, as on several servers, no count is led. */
async function areFew(deps: Deps, filter: LogFilter, page: Page): Promise<boolean> {
  if (deps.words === null || !isLed(filter.condition)) return false;
  return !isSmall(await deps.spans.list(), deps.windowEntries) && !(await isWorthALook(deps, filter, page));
}

/** Returns null if there are too many matches, or if some were deleted meanwhile. */
async function findAmongFew(deps: Deps, filter: LogFilter, page: Page): Promise<CountedLogs | null> {
  const keys = await listKeys(deps, filter, page.signal);
  if (keys.length > matchesMax) return null;
  const { after, limit, offset } = page;
  const sign = page.order === 'asc' ? 1 : -1;
  const ordered = keys.sort((one, other) => (one < other ? -sign : sign));
  const left =
    after === null ? ordered : ordered.filter(key => (page.order === 'asc' ? key > after : key < after));
  const wanted = left.slice(offset, offset + limit);
  const entries = await readByKey(deps, filter, { wanted, signal: page.signal, room: new PageRoom() });
  if (entries.size < wanted.length) return null;
  return {
    ...splitPage(wanted.flatMap(key => entries.get(key) ?? [])),
    hasMore: left.length > offset + limit,
    total: keys.length,
  };
}

/** Lists the traceIds of matches, in no order; one more than the limit if there are more. */
async function listKeys(
  { runner, table, words }: Deps,
  filter: LogFilter,
  signal: AbortSignal,
): Promise<string[]> {
  const binder = new Binder();
  const known = await findWords(words, filter, signal);
  const statements = formatConditionsApart({ table, known }, filter, binder).map(
    clause =>
      `(SELECT toUnixTimestamp64Micro(timestamp), lower(hex(identity)) FROM ${table} ${clause} LIMIT ${matchesMax + 1})`,
  );
  if (statements.length === 0) return [];
  const statement = {
    sql: statements.join(' UNION ALL '),
    parameters: binder.parameters,
    settings: ledSettings,
  };
  const rows = await runQuery(runner, { weight: 'heavy', signal }, statement);
  return (rows as [number, string][]).map(([micros, identity]) => composeTraceId(micros, identity)); // matches the SELECT
}
