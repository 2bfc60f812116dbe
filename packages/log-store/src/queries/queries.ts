/** Assembles the reading half of the log store. Every query first waits until it covers all acknowledged entries. */

import type { LogFilter } from '@tapedeck/log-entries';
import { hasTemplate } from '@tapedeck/log-query-language';
import type { LogIntake } from '../intake/logIntake.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import type { InsertedTexts } from '../writer/inserted/insertedTexts.ts';
import { nameReadTable } from '../writer/schema/schema.ts';
import { findArrived, findEnd } from './arrivals.ts';
import { type LossWatch, refuseIncomplete, type Visibility, waitForAcknowledged } from './completeAnswers.ts';
import { findCountedEntries } from './countedPages.ts';
import { type CountDeps, countByTime, countEntries } from './counts.ts';
import { countByDay } from './dailyCounts.ts';
import { DatasetBytes } from './datasetBytes.ts';
import { listDatasets } from './datasets.ts';
import { type EntryDeps, findEntries, findEntry, openEntryDeps } from './entries.ts';
import { streamListed } from './entriesByKey.ts';
import { nameExpensiveTerms } from './expensiveTerms.ts';
import { findFields } from './fieldUses.ts';
import { NewPatterns } from './firstSeen/byArrival.ts';
import { findFirstPatterns } from './firstSeen/byTime.ts';
import { FirstSeenCache } from './firstSeen/cache.ts';
import type { LogArrivals, LogQueries, SettledSpan } from './logQueries.ts';
import { PartSpans } from './pageGuesses.ts';
import { listParts } from './parts.ts';
import { PartWords } from './partWords.ts';
import { findPatterns } from './patterns.ts';
import { PatternTemplates } from './patternTemplates.ts';
import { createRunner, type Runner } from './queryRunner.ts';
import { findChildren, findContext } from './relatedEntries.ts';
import { cacheResults, PartsVersion } from './resultCache.ts';
import type { RollupDeps } from './rollups/counts.ts';
import { SlotCounts } from './rollups/slotCounts.ts';
import { countArrived } from './rules/counts.ts';
import { findSeries } from './series.ts';
import { compareSpans } from './spanComparison.ts';
import { streamEntries, streamEntryTexts } from './streaming.ts';
import { KnownProfiles } from './subjects/profileCache.ts';
import { SubjectLists } from './subjects/subjectLists.ts';
import { SubjectSums } from './subjects/sums/subjectSums.ts';
import { SummedMinutes } from './subjects/sums/summedMinutes.ts';
import { streamTallies } from './tallies.ts';
import { resolveTemplates, type TemplateDeps, widenTemplates } from './templateConditions.ts';
import { countValues } from './valueCounts.ts';
import { findWindows } from './windowSeries.ts';

type Queries = LogQueries & LogArrivals;

type LogQueriesOptions = Visibility & {
  /** At least one. The first one answers queries for all of them. */
  shards: readonly [EngineAccess, ...EngineAccess[]];
  /** The cluster of the Distributed table over several shards; null for a single shard. */
  clusterName: string | null;
  /** The engine's memory limit for one query. */
  memoryBytesMax: number;
  /** The same as the intake's. */
  waitForWholeBatches: LogIntake['waitForWholeBatches'];
  /** Grows with every insert; null if other processes insert, too: then nothing is cached. */
  countInserted: (() => number) | null;
  /** Whether entries may be visible that are not counted yet; absent: never. */
  isInserting?: () => boolean;
  /** What this process inserted; null or absent if queries must ask the engine. */
  insertedTexts?: InsertedTexts | null;
  /** Knows which entries are missing; null: no such check. */
  losses?: LossWatch | null;
  /** Directories that keep lists of subjects, and ledgers of sums by subject, over restarts. Only if this process alone inserts. */
  subjectLists?: string | null;
  subjectSums?: string | null;
};

const slicedEntries = 8_000_000; // below this, a second statement costs more than it saves
const windowEntries = 20_000; // reading them takes about ten milliseconds with any filter
const sliceEntries = 200_000; // about ten megabytes in the engine, and half a second

export function createLogQueries(options: LogQueriesOptions): Queries {
  const { shards, clusterName, countInserted, isInserting = () => false } = options;
  const runner = createRunner({
    access: shards[0],
    memoryBytesMax: options.memoryBytesMax,
    waitForWholeBatches: options.waitForWholeBatches,
  });
  const table = nameReadTable(clusterName);
  const spans = openSpans(runner, shards);
  const isAlone = clusterName === null && countInserted !== null;
  const words = isAlone
    ? new PartWords(runner, shards[0], { inserted: options.insertedTexts ?? null })
    : null;
  const sizes = { windowEntries, slicedEntries, sliceEntries };
  const { subjectSums } = options;
  const sums = subjectSums ? new SubjectSums({ runner, table, shards }, subjectSums) : null;
  const minutes = sums && new SummedMinutes(sums);
  const slotCounts = isAlone ? new SlotCounts(runner, shards[0]) : null;
  const entryDeps = openEntryDeps({ runner, table, spans, words, minutes, ...sizes });
  const deps = { ...entryDeps, shards, sums, slotCounts };
  const queries = openQueries(deps, options);
  const { losses } = options;
  const watch = countInserted && new PartsVersion({ runner, shard: shards[0], countInserted, isInserting });
  const results = watch ? cacheResults(queries, watch) : queries;
  return waitForAcknowledged(losses ? refuseIncomplete(results, losses) : results, options);
}

function openQueries(
  { sums, ...deps }: EntryDeps & CountDeps & RollupDeps & { sums: SubjectSums | null },
  { subjectLists }: Pick<LogQueriesOptions, 'subjectLists'>,
): Queries {
  const datasetBytes = new DatasetBytes(deps.runner);
  const newPatterns = new NewPatterns(deps);
  const profiles = new KnownProfiles(sums);
  const knownSubjects = new SubjectLists(deps, { keptIn: subjectLists ?? null, sums });
  const patternTemplates = new PatternTemplates();
  const patternDeps = { patternFirsts: new FirstSeenCache(), patternTemplates };
  /** Counts a project's query against its share of simultaneous queries. */
  const as = (holder: string) => ({ ...deps, runner: { ...deps.runner, holder } });
  const queries: Queries = {
    findEntries: (filter, page, signal) => findEntries(as(filter.project), filter, { ...page, signal }),
    findCountedEntries: (filter, page, signal) =>
      findCountedEntries(as(filter.project), filter, { ...page, signal }),
    countEntries: (filter, signal) => countEntries(as(filter.project), filter, signal),
    findEntry: (place, signal) => findEntry(as(place.project), place, signal),
    findChildren: (place, limit, signal) => findChildren(as(place.project), place, { limit, signal }),
    findContext: (place, around, signal) => findContext(as(place.project), place, { ...around, signal }),
    findTimeRange: (filter, signal) => findTimeRange(as(filter.project), filter, signal),
    countByTime: (filter, buckets, signal) => countByTime(as(filter.project), filter, { ...buckets, signal }),
    countValues: (filter, question, signal) =>
      countValues(as(filter.project), filter, { ...question, signal }),
    compareSpans: (filter, question, signal) =>
      compareSpans(as(filter.project), filter, { ...question, signal }),
    findFields: (filter, question, signal) => findFields(as(filter.project), filter, { ...question, signal }),
    findSeries: (filter, question, signal) => findSeries(as(filter.project), filter, { ...question, signal }),
    findWindows: (filter, question, signal) =>
      findWindows(as(filter.project), filter, { ...question, signal }),
    findPatterns: (filter, question, signal) =>
      findPatterns({ ...as(filter.project), ...patternDeps }, filter, { ...question, signal }),
    streamTallies: (filter, question, signal) =>
      streamTallies(as(filter.project), filter, { ...question, signal }),
    findFirstPatterns: (filter, question, signal) =>
      findFirstPatterns(as(filter.project), filter, { ...question, signal }),
    findProfile: (project, question, signal) => profiles.find(as(project), { ...question, project, signal }),
    keepSums: async (kinds, signal) => (await sums?.keep(kinds, signal)) ?? [],
    listSubjects: (project, paths, signal) => knownSubjects.list(project, paths, signal),
    listSubjectsSoon: (project, paths, signal) => knownSubjects.listSoon(project, paths, signal),
    streamListed: (project, entries, signal) => streamListed(as(project), project, { entries, signal }),
    streamEntries: (filter, page, signal) => streamEntries(as(filter.project), filter, { ...page, signal }),
    streamEntryTexts: (filter, page, signal) =>
      streamEntryTexts(as(filter.project), filter, { ...page, signal }),
    listDatasets: (project, signal) => listDatasets({ ...as(project), datasetBytes }, project, signal),
    listStored: (project, signal) => listDatasets({ ...as(project), datasetBytes }, project, signal),
    countByDay: (project, span, signal) => countByDay(as(project), project, { ...span, signal }),
    findEnd: signal => findEnd(deps, signal),
    // A shared query counts for no project.
    findArrived: (span, options) =>
      findArrived(options.urgency === 'now' ? deps : as(span.filters[0]?.project ?? ''), span, options),
    countArrived: (span, questions, signal) => countArrived(deps, questions, { span, signal }),
    findNewPatterns: (filters, span, signal) => newPatterns.find(filters, { span, signal }),
  };
  return prepareFilters(queries, holder => ({ ...as(holder), patternTemplates }));
}

/** Replaces templates by patterns before each query, and names the term that was too expensive when a query ran out of time. */
function prepareFilters(queries: Queries, as: (holder: string) => TemplateDeps): Queries {
  const resolve = (filter: LogFilter, signal: AbortSignal, arrived: SettledSpan | null = null) =>
    hasTemplate(filter.condition)
      ? resolveTemplates(as(filter.project), filter, { arrived, signal })
      : filter;
  const first =
    <Args extends unknown[], Answer>(ask: (filter: LogFilter, ...args: Args) => Promise<Answer>) =>
    async (filter: LogFilter, ...args: Args): Promise<Answer> =>
      ask(await resolve(filter, args.at(-1) as AbortSignal), ...args); // the signal is always last
  const explained =
    <Args extends unknown[], Answer>(ask: (filter: LogFilter, ...args: Args) => Promise<Answer>) =>
    async (filter: LogFilter, ...args: Args): Promise<Answer> => {
      try {
        return await ask(await resolve(filter, args.at(-1) as AbortSignal), ...args); // as above
      } catch (error) {
        throw nameExpensiveTerms(error, filter.condition);
      }
    };
  const stream = <Args extends unknown[], Part>(
    ask: (filter: LogFilter, ...args: Args) => AsyncIterable<Part>,
  ) =>
    async function* (filter: LogFilter, ...args: Args): AsyncGenerator<Part> {
      yield* ask(await resolve(filter, args.at(-1) as AbortSignal), ...args); // as above
    };
  return {
    ...queries,
    findEntries: explained(queries.findEntries),
    findCountedEntries: explained(queries.findCountedEntries),
    countEntries: explained(queries.countEntries),
    findContext: async (place, around, signal) =>
      queries.findContext(place, { ...around, filter: await resolve(around.filter, signal) }, signal),
    findTimeRange: explained(queries.findTimeRange),
    countByTime: explained(queries.countByTime),
    countValues: explained(queries.countValues),
    compareSpans: explained(queries.compareSpans),
    findFields: explained(queries.findFields),
    findSeries: explained(queries.findSeries),
    findWindows: explained(queries.findWindows),
    findPatterns: first(queries.findPatterns),
    findFirstPatterns: explained(queries.findFirstPatterns),
    streamTallies: stream(queries.streamTallies),
    streamEntries: stream(queries.streamEntries),
    streamEntryTexts: stream(queries.streamEntryTexts),
    countArrived: async (span, questions, signal) => {
      const resolved = questions.map(async question => {
        return { ...question, filter: await resolve(question.filter, signal, span) };
      });
      return queries.countArrived(span, await Promise.all(resolved), signal);
    },
    findNewPatterns: async (filters, span, signal) => {
      const resolved = await Promise.all(filters.map(filter => resolve(filter, signal, span)));
      return queries.findNewPatterns(resolved, span, signal);
    },
    findArrived: (span, options) =>
      queries.findArrived({ ...span, filters: span.filters.map(widenTemplates) }, options),
  };
}

/** Finds the times of the oldest and the newest match. */
async function findTimeRange(
  deps: Parameters<typeof findEntries>[0],
  filter: LogFilter,
  signal: AbortSignal,
): ReturnType<LogQueries['findTimeRange']> {
  const page = { limit: 1, offset: 0, after: null, signal };
  const findOne = async (order: 'asc' | 'desc') => {
    const { entries, unread } = await findEntries(deps, filter, { ...page, order });
    return entries[0] ?? unread[0];
  };
  const first = await findOne('asc');
  if (first === undefined) return null;
  const last = (await findOne('desc')) ?? first;
  return { fromMicros: first.timestampMicros, toMicros: last.timestampMicros };
}

function openSpans(runner: Runner, shards: readonly EngineAccess[]): PartSpans {
  // Queries share the result, so a caller that leaves must not cancel it.
  const noDeadline = new AbortController().signal;
  return new PartSpans(async () => {
    const listed = await Promise.all(shards.map(shard => listParts(runner, shard, noDeadline)));
    return listed.flat().filter(({ entries }) => entries > 0); // a dropped part leaves an empty one for a while
  });
}
