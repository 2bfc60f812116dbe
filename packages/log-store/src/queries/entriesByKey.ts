/** Reads entries whose places are known, by the key of the table. */
import { type LogEntry, type LogFilter, parseTraceId, type UnreadEntry } from '@tapedeck/log-entries';
import { Binder } from '../writer/engine/statements.ts';
import { formatDatasets } from './conditions.ts';
import {
  composePageSettings,
  type PageEntry,
  PageRoom,
  pageCharactersMax,
  queryEntries,
} from './entryRows.ts';
import { bindTimes } from './patternDigits.ts';
import type { Runner } from './queryRunner.ts';

type Deps = { runner: Runner; table: string };
type Place = Pick<LogFilter, 'project' | 'datasets'>;
type Wanted = { wanted: readonly string[]; signal: AbortSignal; room: PageRoom };

/** Returns the entries by traceId. */
export async function readByKey(
  { runner, table }: Deps,
  { project, datasets }: Place,
  { wanted, signal, room }: Wanted,
): Promise<Map<string, PageEntry>> {
  if (wanted.length === 0) return new Map();
  const binder = new Binder();
  const halves = wanted.map(parseTraceId).filter(half => half !== null);
  const identities = halves.map(({ identity }) => BigInt(`0x${identity}`));
  const conditions = [
    `project = ${binder.bind('String', project)}`,
    ...formatDatasets(datasets, binder),
    `timestamp IN ${bindTimes(
      halves.map(({ timestampMicros }) => timestampMicros),
      binder,
    )}`,
    `identity IN ${binder.bind('Array(UInt64)', `[${identities.join()}]`)}`,
  ];
  const entries = await queryEntries(
    runner,
    { weight: 'search', signal, room },
    {
      formatSql: columns => `SELECT ${columns} FROM ${table} WHERE ${conditions.join(' AND ')}`,
      parameters: binder.parameters,
      settings: {
        ...composePageSettings({ isOfKey: true, isWhole: true, isScattered: wanted.length > 1 }),
        use_skip_indexes: 0,
      },
    },
  );
  return new Map(entries.map(entry => [entry.traceId, entry]));
}

/** Yields the entries in the given order, and null for those that were deleted meanwhile. Reads unread ones in portions. */
export async function* streamListed(
  deps: Deps,
  project: string,
  { entries, signal }: { entries: readonly PageEntry[]; signal: AbortSignal },
): AsyncGenerator<LogEntry | null> {
  const place = { project, datasets: null };
  for (let at = 0; at < entries.length; ) {
    const entry = entries[at]!; // `at` is within the list
    if ('body' in entry) {
      yield entry;
      at++;
      continue;
    }
    const wanted = takePortion(entries, at).map(({ traceId }) => traceId);
    const room = new PageRoom(Number.POSITIVE_INFINITY); // the portion is short enough
    const found = await readByKey(deps, place, { wanted, signal, room });
    for (const traceId of wanted) {
      const again = found.get(traceId);
      yield again !== undefined && 'body' in again ? again : null;
    }
    at += wanted.length;
  }
}

/** Takes the next unread entries, up to what a page holds in memory, and at least one. */
function takePortion(entries: readonly PageEntry[], start: number): UnreadEntry[] {
  const portion: UnreadEntry[] = [];
  let characters = 0;
  for (const entry of entries.slice(start)) {
    if ('body' in entry) break;
    characters += entry.characters;
    if (portion.length > 0 && characters > pageCharactersMax) break;
    portion.push(entry);
  }
  return portion;
}
