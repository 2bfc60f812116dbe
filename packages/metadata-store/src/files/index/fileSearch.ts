/** Searches files with the query language, in any order, with exact totals. */
import { setImmediate } from 'node:timers/promises';
import { createKeyedMutex } from '@tapedeck/concurrency/gate';
import type {
  FilePage,
  FilePageQuery,
  FilePlace,
  FileQuestion,
  FileRecords,
  FileSearch,
  StoredFile,
} from '@tapedeck/domain/ports/files';
import {
  AlikeFiles,
  type Block,
  type BlockContext,
  type BlockMasks,
  type BlockMatcher,
  buildBlock,
  compileBlockMatcher,
  composeQuery,
  countMarks,
  countPaths,
  describeSubject,
  FileSubjects,
  KeptIndexes,
  listNames,
  listPlaces,
  MatchCache,
  type MatchedBlock,
  matchBlock,
  matchFolder,
  matchTimes,
  type NamedFile,
  prepareOrders,
  sumFiles,
} from '@tapedeck/file-index';
import type { FileQuery } from '@tapedeck/log-query-language';
import type { MetadataDatabase, Queries, TrashedFileRow } from '../../schema.ts';
import { parseFile } from '../rows.ts';
import { parseRow, parseTrashed, readTrashedRows } from '../trash.ts';
import { bucketOf, refreshIndex } from './fileIndex.ts';
import { FileSnapshots } from './fileSnapshots.ts';
import { readSettled, settleStream } from './fileStream.ts';

const turnMsMax = 8; // then other requests get the event loop

type FileSearcher = Pick<
  FileRecords,
  | 'search'
  | 'stream'
  | 'findAlike'
  | 'searchTrash'
  | 'prepareSearches'
  | 'listSubjects'
  | 'describeSubject'
  | 'sumFiles'
  | 'countPaths'
> & {
  /** By words in names, newest first. A database would check every name. null if the index isn't in memory. */
  listByNames(project: string, query: FilePageQuery): Promise<FilePage | null>;
};

/** The folder that keeps indexes across restarts; null for none. */
type SnapshotPlace = string | null;

export function openFileSearch(database: MetadataDatabase, snapshotPlace: SnapshotPlace): FileSearcher {
  const { reading } = database;
  const { kept, refresh, prepare } = openIndexes(database, snapshotPlace);
  const masks = new MatchCache();
  const subjects = new FileSubjects();
  const match = async (project: string, question: FileQuestion) => {
    const index = await refresh(project);
    const query = composeQuery(question);
    const named = await findNamed(reading, project, query);
    const known = masks.find([query, named, question.filter.path, question.times]);
    return await matchBlocks([...index.blocks.values()], question, { query, named, known });
  };
  const search: FileRecords['search'] = async (project, question) => {
    const matched = await match(project, question);
    const total = countFiles(matched);
    const found = reading.selectFrom('files').selectAll().where('project', '=', project);
    const rows = await readPlaces(listPlaces(matched, question), positions =>
      found.where('position', 'in', positions).execute(),
    );
    return { total, places: rows.map(({ place }) => place), files: rows.map(({ row }) => parseFile(row)) };
  };
  return {
    listSubjects: async (project, paths) => subjects.list(await refresh(project), paths),
    describeSubject: async (project, question) => describeSubject(await refresh(project), question),
    sumFiles: async (project, question) => sumFiles(await refresh(project), question),
    countPaths: async project => countPaths(await refresh(project)),
    prepareSearches: prepare,
    search,
    listByNames: async (project, { filter, limit, from }) => {
      if (filter.terms.length === 0 || kept.find(project) === null) return null;
      const { total, places, files } = await search(project, {
        filter,
        limit,
        times: null,
        query: null,
        sort: { by: 'createdAt', order: 'desc' },
        from: 'offset' in from ? from : { after: { position: from.belowPosition, value: null } },
      });
      return { total, files, positions: places.map(({ position }) => position) };
    },
    stream: async function* (project, question) {
      const stream = { project, folder: question.filter.path, order: question.order };
      const pages = await settleStream(reading, await match(project, question), stream);
      yield* readSettled(reading, pages, stream);
    },
    findAlike: async (project, alike, limit) => {
      const { blocks } = await refresh(project);
      const positions = await findInTurns([...blocks.values()].reverse(), new AlikeFiles(alike), limit);
      return await readPositions(reading, project, positions);
    },
    searchTrash: (project, search) => searchTrash(reading, project, search),
  };
}

function openIndexes(database: MetadataDatabase, snapshotPlace: SnapshotPlace) {
  const mutex = createKeyedMutex();
  const kept = new KeptIndexes();
  const snapshots = snapshotPlace === null ? null : new FileSnapshots(database, snapshotPlace);
  const refresh = (project: string, signal: AbortSignal | null = null) =>
    mutex.runExclusive(project, async () => {
      const before = kept.find(project) ?? (await snapshots?.read(project, signal)) ?? null;
      const fresh = await refreshIndex(database, project, { before, signal });
      kept.keep(project, fresh);
      return fresh;
    });
  const prepare = async (signal: AbortSignal) => {
    const large = await listLarge(database.reading);
    for (const { project, files } of large) {
      signal.throwIfAborted();
      if (kept.find(project) === null && !kept.hasSpaceFor(files)) continue;
      const index = await refresh(project, signal);
      await prepareInTurns(index.blocks.values(), signal);
      await snapshots?.writeWhenDue(project, index, signal);
    }
    await snapshots?.keepOnly(large.map(({ project }) => project));
  };
  return { kept, refresh, prepare };
}

const preparedFilesMin = 10_000; // smaller indexes are read within 200 ms on demand

/** Lists projects whose first query would be slow, largest first. */
async function listLarge(reading: Queries): Promise<{ project: string; files: number }[]> {
  const usage = reading.selectFrom('file_usage').select(['project', 'files']);
  return await usage.where('files', '>=', preparedFilesMin).orderBy('files', 'desc').execute();
}

async function prepareInTurns(blocks: Iterable<Block>, signal: AbortSignal): Promise<void> {
  let begunAt = performance.now();
  for (const { columns } of blocks) {
    prepareOrders(columns);
    if (performance.now() - begunAt < turnMsMax) continue;
    await setImmediate();
    signal.throwIfAborted();
    begunAt = performance.now();
  }
}

function matchBlocks(
  blocks: readonly Block[],
  { filter, times }: FileQuestion,
  { query, named, known }: { query: FileQuery; known: BlockMasks } & BlockContext,
): Promise<MatchedBlock[]> {
  const matchers = [compileBlockMatcher(query, { named })];
  if (filter.path !== '') matchers.unshift(matchFolder(filter.path));
  if (times !== null) matchers.unshift(matchTimes(times));
  return matchInTurns(blocks, matchers, known);
}

function countFiles(matched: readonly MatchedBlock[]): number {
  return matched.reduce((sum, { mask }) => sum + countMarks(mask), 0);
}

/** Lets other requests run in between. */
async function matchInTurns(
  blocks: readonly Block[],
  matchers: readonly BlockMatcher[],
  known: BlockMasks,
): Promise<MatchedBlock[]> {
  const matched: MatchedBlock[] = [];
  let begunAt = performance.now();
  for (const block of blocks) {
    matched.push({ columns: block.columns, mask: matchBlock(block, matchers, known) });
    if (performance.now() - begunAt < turnMsMax) continue;
    await setImmediate();
    begunAt = performance.now();
  }
  return matched;
}

async function findInTurns(blocks: readonly Block[], alike: AlikeFiles, limit: number): Promise<number[]> {
  const positions: number[] = [];
  let begunAt = performance.now();
  for (const block of blocks) {
    positions.push(...alike.find(block));
    if (positions.length >= limit) return positions.slice(0, limit);
    if (performance.now() - begunAt < turnMsMax) continue;
    await setImmediate();
    begunAt = performance.now();
  }
  return positions;
}

const rowsPerRead = 500; // a query binds this many without trouble

/** Reads files in the order of the positions. Leaves out files deleted meanwhile. */
async function readPositions(
  reading: Queries,
  project: string,
  positions: readonly number[],
): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  for (let start = 0; start < positions.length; start += rowsPerRead) {
    const query = reading.selectFrom('files').selectAll().where('project', '=', project);
    const some = query.where('position', 'in', positions.slice(start, start + rowsPerRead));
    found.push(...(await some.orderBy('position', 'desc').execute()).map(parseFile));
  }
  return found;
}

/** Finds the files whose ids or keys the query names. */
async function findNamed(reading: Queries, project: string, query: FileQuery): Promise<NamedFile[]> {
  const names = listNames(query);
  if (names.length === 0) return [];
  const files = reading.selectFrom('files').select(['position', 'id', 'key']).where('project', '=', project);
  const byId = await files.where('id', 'in', names).execute();
  return [...byId, ...(await files.where('key', 'in', names).execute())];
}

async function searchTrash(
  reading: Queries,
  project: string,
  search: FileSearch,
): ReturnType<FileRecords['searchTrash']> {
  const query = composeQuery(search);
  const { blocks, named } = await readTrash(reading, project, query);
  const matched = await matchBlocks(blocks, search, { query, named, known: new WeakMap() });
  const rows = await readPlaces(listPlaces(matched, search), positions =>
    reading
      .selectFrom('trashed_files')
      .selectAll()
      .where('project', '=', project)
      .where('position', 'in', positions)
      .execute(),
  );
  const files = rows.map(({ row }) => parseTrashed(row));
  return { total: countFiles(matched), places: rows.map(({ place }) => place), files };
}

/** Builds blocks of the trash without caching them, because searches there are rare. */
async function readTrash(
  reading: Queries,
  project: string,
  query: FileQuery,
): Promise<{ blocks: Block[]; named: NamedFile[] }> {
  const names = new Set(listNames(query));
  const named: NamedFile[] = [];
  const blocks: Block[] = [];
  let some: TrashedFileRow[] = [];
  const finish = () => {
    const [first] = some;
    if (first === undefined) return;
    blocks.push(buildBlock(bucketOf(first.position), some.map(parseRow)));
    some = [];
  };
  for await (const row of readTrashedRows(reading, project)) {
    if (some[0] !== undefined && bucketOf(some[0].position) !== bucketOf(row.position)) finish();
    some.push(row);
    if (names.has(row.id) || names.has(row.key)) named.push(row);
  }
  finish();
  return { blocks, named };
}

/** Reads rows in the order of the places. Leaves out files deleted meanwhile. */
async function readPlaces<Row extends { position: number }>(
  places: readonly FilePlace[],
  read: (positions: number[]) => Promise<Row[]>,
): Promise<{ row: Row; place: FilePlace }[]> {
  if (places.length === 0) return [];
  const rows = await read(places.map(({ position }) => position));
  const byPosition = new Map(rows.map(row => [row.position, row]));
  return places.flatMap(place => {
    const row = byPosition.get(place.position);
    return row === undefined ? [] : [{ row, place }];
  });
}
