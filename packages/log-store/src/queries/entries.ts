/** Finds pages of entries, and single entries by traceId. */
import {
  type FoundLogs,
  type LogEntry,
  type LogFilter,
  type LogPage,
  type LogPlace,
  parseTraceId,
} from '@tapedeck/log-entries';
import { everything } from '@tapedeck/log-query-language';
import { Binder, bindMicros, endOfReading, type Statement } from '../writer/engine/statements.ts';
import { filtersByKeyOnly, formatAfter, formatConditions, formatPageClauses } from './conditions.ts';
import {
  composePageSettings,
  entryColumns,
  type FoundPage,
  PageRoom,
  queryEntries,
  readEntry,
  splitPage,
} from './entryRows.ts';
import { isLed } from './indexPruning.ts';
import type { KnownWords } from './knownWords.ts';
import {
  findInMinutes,
  formatNarrowing,
  type KnownMinutes,
  type Narrowing,
  sortEntries,
} from './minutePages.ts';
import { guessWindow, isSmall, type PartSpans, RecentSample, sampleEntries } from './pageGuesses.ts';
import { isNowhere } from './partConditions.ts';
import { findWords, type PartWords } from './partWords.ts';
import { type Runner, runQuery } from './queryRunner.ts';
import { plainSettings, type Weight } from './querySettings.ts';
import { findInSlices } from './slicedPages.ts';

export type EntryDeps = {
  runner: Runner;
  table: string;
  spans: PartSpans;
  samples: RecentSample;
  /** null if other programs insert, too. */
  words: PartWords | null;
  /** null: the minutes with matches are never known. */
  minutes: KnownMinutes | null;
  /** The number of entries to read first. A smaller table is read completely, without indexes. */
  windowEntries: number;
  /** From this number of entries on, a search for rare matches reads one time slice after the other. */
  slicedEntries: number;
  /** The number of entries in a stream's first slice. */
  sliceEntries: number;
};

const windowOffsetMax = 10_000; // beyond it, the window rarely contains the page

export async function findEntries(
  deps: EntryDeps,
  filter: LogFilter,
  page: LogPage & { signal: AbortSignal },
): Promise<FoundLogs> {
  const { entries, hasMore } = await findPageEntries(deps, filter, { ...page, room: new PageRoom() });
  return { ...splitPage(entries), hasMore };
}

/** The room is for all statements of the page together. */
type RoomyPage = LogPage & { signal: AbortSignal; room: PageRoom };

async function findPageEntries(deps: EntryDeps, filter: LogFilter, page: RoomyPage): Promise<FoundPage> {
  if (isSmall(await deps.spans.list(), deps.windowEntries))
    return findPage(deps, filter, { ...page, ...quickly });
  const early = (await isWorthALook(deps, filter, page)) ? await findInWindow(deps, filter, page) : null;
  if (early !== null) return early;
  if (page.offset <= windowOffsetMax && isOfKey(filter))
    return findPage(deps, filter, { ...page, ...quickly });
  if (!isLed(filter.condition)) return findPage(deps, filter, { ...page, weight: 'heavy' });
  return findLed(deps, filter, page);
}

/** Finds entries that an index leads to. */
async function findLed(deps: EntryDeps, filter: LogFilter, page: RoomyPage): Promise<FoundPage> {
  const { signal, room } = page;
  const known = await findWords(deps.words, filter, signal);
  const ask = (part: LogFilter, request: LogPage, narrowing?: Narrowing) =>
    findPage(deps, part, { ...request, weight: 'search', signal, room, narrowing, known });
  if (known !== null && isNowhere(filter.condition, known)) return { entries: [], hasMore: false };
  const inMinutes = await findInMinutes(deps.minutes, filter, { page, ask });
  if (inMinutes !== null) return inMinutes;
  const spans = await deps.spans.list();
  const sliced = await findInSlices(spans, filter, { page, ask, entriesMin: deps.slicedEntries });
  return sliced ?? ask(filter, page);
}

/** For few entries: reading them costs less than using the indexes. */
const quickly = { weight: 'light', settings: { use_skip_indexes: 0 } } as const;

/** Whether the key leads to the entries, so the engine reads no more than it returns. */
function isOfKey(filter: LogFilter): boolean {
  return filter.datasets?.length === 1 && filtersByKeyOnly(filter);
}

/** Whether to read the newest entries first. If an index leads to the matches, only if the newest are likely to fill the page. */
export async function isWorthALook(
  deps: EntryDeps,
  filter: LogFilter,
  { offset, limit }: LogPage,
): Promise<boolean> {
  if (offset > windowOffsetMax) return false;
  if (!isLed(filter.condition)) return true;
  const share = await deps.samples.findShare(filter);
  return share === null || share * deps.windowEntries > offset + limit;
}

/** Returns null if the window does not hold the whole page and one more match. */
async function findInWindow(deps: EntryDeps, filter: LogFilter, page: RoomyPage): Promise<FoundPage | null> {
  const window = guessWindow(await deps.spans.list(), { ...page, filter, entries: deps.windowEntries });
  if (window === null) return null;
  const room = new PageRoom(); // the repeated query starts with a full allowance
  const found = await findPage(deps, { ...filter, ...window }, { ...page, ...quickly, room });
  return found.hasMore ? found : null;
}

type PageQuery = RoomyPage & { weight: Weight; settings?: Statement['settings'] } & {
  narrowing?: Narrowing | undefined;
  known?: KnownWords | null; // over all entries, for the same condition
};

async function findPage(deps: EntryDeps, filter: LogFilter, page: PageQuery): Promise<FoundPage> {
  const { order, limit, offset } = page;
  const binder = new Binder();
  const isScattered = page.narrowing !== undefined && 'before' in page.narrowing;
  const isLittle = page.settings?.use_skip_indexes === 0;
  const isFar = offset > windowOffsetMax;
  const looksUp = !isLittle && !isFar;
  const known = looksUp ? (page.known ?? (await findWords(deps.words, filter, page.signal))) : null;
  const place = { table: deps.table, known };
  const apart = formatPageClauses(place, filter, { isScattered, isLittle, isFar, binder });
  if (apart.length === 0) return { entries: [], hasMore: false };
  const isWhole = apart.length === 1; // otherwise each statement finds everything that the page may need from it
  const range = isWhole
    ? `LIMIT ${binder.bind('UInt64', limit + 1)} OFFSET ${binder.bind('UInt64', offset)}`
    : `LIMIT ${binder.bind('UInt64', offset + limit + 1)}`;
  const narrowed = page.narrowing ? formatNarrowing(page.narrowing, binder) : '';
  const sources = apart.map(
    clause => `${formatSource(deps.table, `${clause}${narrowed}`, { ...page, binder })} ${range}`,
  );
  const found = await queryEntries(deps.runner, page, {
    formatSql: columns =>
      isWhole
        ? `SELECT ${columns} ${sources.join()}`
        : sources.map(source => `(SELECT ${columns} ${source})`).join(' UNION ALL '),
    parameters: binder.parameters,
    settings: {
      ...composePageSettings({
        isOfKey: filtersByKeyOnly(filter) && offset <= windowOffsetMax,
        isWhole,
        isScattered,
      }),
      ...page.settings,
    },
  });
  const entries = isWhole ? found : sortEntries(found, order).slice(offset);
  return { entries: entries.slice(0, limit), hasMore: entries.length > limit };
}

const sampleTimeMsMax = 5_000;
const sampleCharactersMax = 1024 * 1024; // evaluating them takes some milliseconds

export function openEntryDeps(parts: Omit<EntryDeps, 'samples'>): EntryDeps {
  return { ...parts, samples: new RecentSample(project => findSample(parts, project)) };
}

/** Finds some of the newest entries of a project, in no order. */
async function findSample(
  { runner, table, spans }: Omit<EntryDeps, 'samples'>,
  project: string,
): Promise<LogEntry[]> {
  const filter = matchAll({ project, datasets: null });
  const request = { filter, order: 'desc', after: null, entries: sampleEntries } as const;
  const window = guessWindow(await spans.list(), request);
  const binder = new Binder();
  const conditions = formatConditions({ ...filter, ...window }, binder);
  const sql = `SELECT ${entryColumns} FROM ${table} WHERE ${conditions} LIMIT ${sampleEntries}`;
  const signal = AbortSignal.timeout(sampleTimeMsMax);
  const { read } = new PageRoom(sampleCharactersMax);
  const statement = { sql, parameters: binder.parameters, settings: pointSettings };
  const rows = await runQuery(runner, { weight: 'light', signal, read }, statement);
  return rows.filter(row => row !== endOfReading).map(readEntry);
}

/** Formats a statement without its limit. */
export function formatSelect(
  table: string,
  filter: LogFilter,
  place: Pick<LogPage, 'order' | 'after'> & { binder: Binder; columns: string },
): string {
  const source = formatSource(table, `WHERE ${formatConditions(filter, place.binder)}`, place);
  return `SELECT ${place.columns} ${source}`;
}

function formatSource(
  table: string,
  clause: string,
  { order, after, binder }: Pick<LogPage, 'order' | 'after'> & { binder: Binder },
): string {
  return `FROM ${table}
    ${clause}${after === null ? '' : ` AND ${formatAfter(after, order, binder)}`}
    ORDER BY timestamp ${order}, identity ${order}`;
}

/** The key leads to one place in each part: indexes and threads would cost more than they save. */
const pointSettings = { ...plainSettings, use_skip_indexes: 0, max_threads: 1 };

/** Finds an entry by the key, since the traceId contains the time. */
export async function findEntry(
  deps: EntryDeps,
  place: LogPlace,
  signal: AbortSignal,
): Promise<LogEntry | null> {
  const halves = parseTraceId(place.traceId);
  if (halves === null) return null;
  const binder = new Binder();
  const conditions = formatConditions({ ...matchAll(place), ...atTime(halves.timestampMicros) }, binder);
  const sql = `SELECT ${entryColumns} FROM ${deps.table} WHERE ${conditions}
    AND timestamp = ${bindMicros(halves.timestampMicros, binder)}
    AND identity = ${binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString())} LIMIT 1`;
  const statement = { sql, parameters: binder.parameters, settings: pointSettings };
  const [row] = await runQuery(deps.runner, { weight: 'light', signal }, statement);
  return row ? readEntry(row) : null;
}

/** Matches everything in these datasets. */
export function matchAll({ project, datasets }: Pick<LogFilter, 'project' | 'datasets'>): LogFilter {
  return { project, datasets, fromMicros: null, toMicros: null, condition: everything };
}

function atTime(micros: number): Pick<LogFilter, 'fromMicros' | 'toMicros'> {
  return { fromMicros: micros, toMicros: micros };
}
