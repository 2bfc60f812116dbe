/** The reading half of the log store, put together: every question first waits until it covers what was acknowledged. */
import type { LogArrivals, LogFilter, LogQueries, ValueCount } from '../../../domain/ports/logQueries.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { nameReadTable } from '../schema.ts';
import { findArrived, findEnd } from './arrivals.ts';
import { countByTime, countEntries, countValues } from './counts.ts';
import { listDatasets } from './datasets.ts';
import { countByDay } from './days.ts';
import { findContext, findEntries, findPlacedEntry } from './entries.ts';
import { PartCounts } from './partCounts.ts';
import { askRows, createRunner } from './running.ts';
import { StandingAnswers } from './standingAnswers.ts';
import { streamEntries } from './streaming.ts';
import { formatSpansQuery, PartSpans, readSpan } from './windows.ts';

export type LogQueriesOptions = {
  /** At least one. The first one answers for all of them. */
  shards: readonly [EngineAccess, ...EngineAccess[]];
  /** Of the Distributed table over several shards; null with a single one. */
  clusterName: string | null;
  /** Of one question in the engine. */
  memoryBytesMax: number;
  /** Resolves once queries see everything that was acknowledged before. */
  settle(): Promise<void>;
};

const windowEntries = 50_000; // read in some ten milliseconds, whatever the filter
const sliceEntries = 200_000; // some ten megabytes in the engine, and half a second

export function createLogQueries(options: LogQueriesOptions): LogQueries & LogArrivals {
  const { shards, clusterName, settle } = options;
  const table = nameReadTable(clusterName);
  const runner = createRunner(shards[0], options.memoryBytesMax);
  const deps = { runner, table, spans: openSpans(runner, table), shards, windowEntries, sliceEntries };
  const partCounts = new PartCounts(deps);
  const standingCounts = new StandingAnswers<ValueCount[]>(deps);
  return {
    async findEntries(filter, page, signal) {
      await settle();
      return findEntries(deps, filter, { ...page, signal });
    },
    async countEntries(filter, signal) {
      await settle();
      return countEntries(deps, filter, signal);
    },
    async findEntry(place, signal) {
      await settle();
      return (await findPlacedEntry(deps, place, signal))?.entry ?? null;
    },
    async findContext(place, around, signal) {
      await settle();
      return findContext(deps, place, { ...around, signal });
    },
    async findTimeRange(filter, signal) {
      await settle();
      return findTimeRange(deps, filter, signal);
    },
    async countByTime(filter, buckets, signal) {
      await settle();
      return countByTime(deps, filter, { ...buckets, signal });
    },
    async countValues(filter, field, signal) {
      await settle();
      const remembered =
        field.kind === 'metadata' ? await partCounts.count(filter, field.path, signal) : null;
      if (remembered !== null) return remembered;
      const ask = () => countValues(deps, filter, { field, signal });
      return standingCounts.recall(JSON.stringify([filter, field]), ask, signal);
    },
    async *streamEntries(filter, page, signal) {
      await settle();
      yield* streamEntries(deps, filter, { ...page, signal });
    },
    async listDatasets(project, signal) {
      await settle();
      return listDatasets(deps, project, signal);
    },
    async countByDay(project, span, signal) {
      await settle();
      return countByDay(deps, project, { ...span, signal });
    },
    async findEnd(signal) {
      await settle();
      return findEnd(deps, signal);
    },
    findArrived: (span, signal) => findArrived(deps, span, signal),
  };
}

/** From the oldest to the newest of what is asked for. */
async function findTimeRange(
  deps: Parameters<typeof findEntries>[0],
  filter: LogFilter,
  signal: AbortSignal,
): ReturnType<LogQueries['findTimeRange']> {
  const page = { limit: 1, offset: 0, after: null, signal };
  const { entries } = await findEntries(deps, filter, { ...page, order: 'asc' });
  const [first] = entries;
  if (first === undefined) return null;
  const [last = first] = (await findEntries(deps, filter, { ...page, order: 'desc' })).entries;
  return { fromMicros: first.timestampMicros, toMicros: last.timestampMicros };
}

function openSpans(runner: ReturnType<typeof createRunner>, table: string): PartSpans {
  // Shared by questions: one that goes away must not take the answer from the others.
  const unhurried = new AbortController().signal;
  return new PartSpans(async () => {
    const asking = { weight: 'light', signal: unhurried } as const;
    return (await askRows(runner, asking, { sql: formatSpansQuery(table) })).map(readSpan);
  });
}
