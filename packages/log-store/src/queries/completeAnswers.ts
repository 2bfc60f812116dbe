/**
 * Makes sure that no answer lacks entries: queries wait until acknowledged entries are visible, and are rejected if entries were lost with
 * their part. Followers and rules continue with new arrivals: otherwise they would wait for parts that may never come back.
 */
import {
  type FoundLogs,
  type LogBuckets,
  type LogContext,
  type LogFilter,
  type LogNeighbours,
  type LogPage,
  type LogPlace,
  type LogWindows,
  parseTraceId,
} from '@tapedeck/log-entries';
import type { LogIntake } from '../intake/logIntake.ts';
import type { LostPart } from '../writer/ledger/ledgerFile.ts';
import { refuseQuestion } from '../writer/ledger/lossMessages.ts';
import type { LogTables } from '../writer/servers/remoteTables.ts';
import type { LogArrivals, LogQueries } from './logQueries.ts';
import { startAtCursor } from './pageGuesses.ts';

type Queries = LogQueries & LogArrivals;

/** Inclusive bounds; null: open. */
type Times = Pick<LogFilter, 'fromMicros' | 'toMicros'>;

export type LossWatch = {
  /** Resolves once the lost parts are known. */
  readonly settled: Promise<void>;
  readonly lost: readonly LostPart[];
  /** Call this if a query failed, perhaps because of a damaged part. Returns the part if it is known. */
  recordFailure(error: unknown): LostPart | null;
};

const always: Times = { fromMicros: null, toMicros: null };
const dayMicros = 86_400_000_000;

export function refuseIncomplete(queries: Queries, losses: LossWatch): Queries {
  const { noted, whole, judged, wholeStream } = makeGuards(losses);
  return {
    findEntries: judged(queries.findEntries, readPageTimes),
    findCountedEntries: whole(queries.findCountedEntries, filter => filter),
    countEntries: whole(queries.countEntries, filter => filter),
    findEntry: judged(queries.findEntry, (entry, { traceId }) => (entry === null ? atTime(traceId) : null)),
    findChildren: whole(queries.findChildren, () => always),
    findContext: judged(queries.findContext, readContextTimes),
    findTimeRange: whole(queries.findTimeRange, filter => filter),
    countByTime: whole(queries.countByTime, withinBuckets),
    countValues: whole(queries.countValues, filter => filter),
    compareSpans: whole(
      whole(queries.compareSpans, (_filter, { span }) => span),
      (_filter, { baseline }) => baseline,
    ),
    findFields: whole(queries.findFields, filter => filter),
    findSeries: whole(queries.findSeries, (filter, { buckets }) => withinBuckets(filter, buckets)),
    findWindows: whole(queries.findWindows, (filter, { windows }) => withinWindows(filter, windows)),
    findPatterns: whole(queries.findPatterns, (filter, { buckets, isNew }) =>
      isNew ? { ...filter, fromMicros: null } : withinBuckets(filter, buckets),
    ),
    streamTallies: wholeStream(queries.streamTallies, filter => filter),
    findFirstPatterns: whole(queries.findFirstPatterns, filter => filter),
    findProfile: whole(queries.findProfile, () => always),
    listSubjects: whole(queries.listSubjects, () => always),
    listSubjectsSoon: whole(queries.listSubjectsSoon, () => always),
    keepSums: queries.keepSums,
    streamListed: wholeStream(queries.streamListed, (_project, entries) => readListedTimes(entries)),
    streamEntries: wholeStream(queries.streamEntries, startAtCursor),
    streamEntryTexts: wholeStream(queries.streamEntryTexts, startAtCursor),
    listDatasets: whole(queries.listDatasets, () => always),
    listStored: noted(queries.listStored),
    countByDay: whole(queries.countByDay, (_project, { fromDay, toDay }) => ({
      fromMicros: fromDay * dayMicros,
      toMicros: (toDay + 1) * dayMicros - 1,
    })),
    findEnd: queries.findEnd,
    findArrived: noted(queries.findArrived),
    countArrived: noted(queries.countArrived),
    findNewPatterns: noted(queries.findNewPatterns),
  };
}

const secondMicros = 1_000_000;

/** Finds parts that may have held entries of these times, except damaged ones: queries that read those fail anyway. */
function findLost(lost: readonly LostPart[], { fromMicros, toMicros }: Times): LostPart[] {
  return lost.filter(
    ({ loss, fromSecond, toSecond }) =>
      loss !== 'damaged' &&
      (toMicros === null || fromSecond * secondMicros <= toMicros) &&
      (fromMicros === null || (toSecond + 1) * secondMicros > fromMicros),
  );
}

/** Makes three guards for queries, and one that only notes failures. */
function makeGuards(losses: LossWatch) {
  const requireWhole = (times: Times) => {
    const lost = findLost(losses.lost, times);
    if (lost.length > 0) throw refuseQuestion(lost);
  };
  const explain = (error: unknown) => {
    const met = losses.recordFailure(error);
    return met === null ? error : refuseQuestion([met]);
  };
  const noting = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (error) {
      throw explain(error);
    }
  };
  const noted =
    <Args extends unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) =>
    (...args: Args): Promise<Answer> =>
      noting(ask(...args));
  const whole =
    <Args extends unknown[], Answer>(
      ask: (...args: Args) => Promise<Answer>,
      findTimes: (...args: Args) => Times,
    ) =>
    async (...args: Args): Promise<Answer> => {
      await losses.settled;
      requireWhole(findTimes(...args));
      return await noting(ask(...args));
    };
  /** Guards a query whose result determines the times that it covers. */
  const judged =
    <Args extends unknown[], Answer>(
      ask: (...args: Args) => Promise<Answer>,
      findTimes: (answer: Answer, ...args: Args) => Times | null,
    ) =>
    async (...args: Args): Promise<Answer> => {
      await losses.settled;
      const answer = await noting(ask(...args));
      const times = findTimes(answer, ...args);
      if (times !== null) requireWhole(times);
      return answer;
    };
  const wholeStream = <Args extends unknown[], Part>(
    ask: (...args: Args) => AsyncIterable<Part>,
    findTimes: (...args: Args) => Times,
  ) =>
    async function* (...args: Args): AsyncGenerator<Part> {
      await losses.settled;
      requireWhole(findTimes(...args));
      try {
        yield* ask(...args);
      } catch (error) {
        throw explain(error);
      }
    };
  return { noted, whole, judged, wholeStream };
}

export type Visibility = {
  /** The same as the intake's. */
  flush: LogIntake['flush'];
  /** Checks that the tables are as they should be; null if this process does not maintain them. */
  tables?: Pick<LogTables, 'require' | 'confirm'> | null;
};

export const flushMsMax = 5_000; // beyond it the engine counts as down, and the query fails

/**
 * Makes queries wait until acknowledged entries are visible, except for queries over a settled span. It confirms a result before it
 * returns it, and a stream before it ends.
 */
export function waitForAcknowledged(queries: Queries, { flush, tables }: Visibility): Queries {
  const begin = async () => {
    tables?.require();
    await flush(flushMsMax);
  };
  const first =
    <Args extends unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      await begin();
      return await last(ask)(...args);
    };
  const last =
    <Args extends unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      const answer = await ask(...args);
      await tables?.confirm();
      return answer;
    };
  const whole = <Args extends unknown[], Part>(ask: (...args: Args) => AsyncIterable<Part>) =>
    async function* (...args: Args): AsyncGenerator<Part> {
      await begin();
      yield* ask(...args);
      await tables?.confirm();
    };
  return {
    findEntries: first(queries.findEntries),
    findCountedEntries: first(queries.findCountedEntries),
    countEntries: first(queries.countEntries),
    findEntry: first(queries.findEntry),
    findChildren: first(queries.findChildren),
    findContext: first(queries.findContext),
    findTimeRange: first(queries.findTimeRange),
    countByTime: first(queries.countByTime),
    countValues: first(queries.countValues),
    compareSpans: first(queries.compareSpans),
    findFields: first(queries.findFields),
    findSeries: first(queries.findSeries),
    findWindows: first(queries.findWindows),
    findPatterns: first(queries.findPatterns),
    streamTallies: whole(queries.streamTallies),
    findFirstPatterns: first(queries.findFirstPatterns),
    findProfile: first(queries.findProfile),
    listSubjects: first(queries.listSubjects),
    listSubjectsSoon: first(queries.listSubjectsSoon),
    keepSums: last(queries.keepSums),
    streamListed: queries.streamListed, // the listed entries were visible before
    streamEntries: whole(queries.streamEntries),
    streamEntryTexts: whole(queries.streamEntryTexts),
    listDatasets: first(queries.listDatasets),
    listStored: first(queries.listStored),
    countByDay: first(queries.countByDay),
    findEnd: first(queries.findEnd),
    findArrived: last(queries.findArrived),
    countArrived: last(queries.countArrived),
    findNewPatterns: last(queries.findNewPatterns),
  };
}

/** Returns the times that a page covers. A full page ends at its last entry, so newest entries are found even if older ones are missing. */
function readPageTimes({ entries, unread, hasMore }: FoundLogs, filter: LogFilter, page: LogPage): Times {
  const times = startAtCursor(filter, page);
  const last = unread.at(-1) ?? entries.at(-1);
  if (!hasMore || last === undefined) return times;
  return page.order === 'desc'
    ? { ...times, fromMicros: last.timestampMicros }
    : { ...times, toMicros: last.timestampMicros };
}

function readContextTimes(context: LogContext | null, { traceId }: LogPlace, around: LogNeighbours): Times {
  if (context === null) return atTime(traceId);
  const before = [...context.unreadBefore, ...context.before];
  const after = [...context.after, ...context.unreadAfter];
  return {
    fromMicros: before.length < around.before ? null : (before[0] ?? context.entry).timestampMicros,
    toMicros: after.length < around.after ? null : (after.at(-1) ?? context.entry).timestampMicros,
  };
}

function readListedTimes(entries: readonly { timestampMicros: number }[]): Times {
  const times = entries.map(({ timestampMicros }) => timestampMicros);
  return { fromMicros: Math.min(...times), toMicros: Math.max(...times) };
}

function atTime(traceId: string): Times {
  const micros = parseTraceId(traceId)?.timestampMicros ?? null;
  return { fromMicros: micros, toMicros: micros };
}

function withinWindows(times: Times, { firstMicros, stepMicros, rangeMicros, count }: LogWindows): Times {
  const lengthMicros = rangeMicros + stepMicros * (count - 1);
  return withinBuckets(times, {
    startMicros: firstMicros - rangeMicros + 1,
    intervalMicros: lengthMicros,
    count: 1,
  });
}

function withinBuckets({ fromMicros, toMicros }: Times, buckets: LogBuckets): Times {
  const { startMicros } = buckets;
  const endMicros = startMicros + buckets.intervalMicros * buckets.count - 1;
  return {
    fromMicros: Math.max(startMicros, fromMicros ?? startMicros),
    toMicros: Math.min(endMicros, toMicros ?? endMicros),
  };
}
