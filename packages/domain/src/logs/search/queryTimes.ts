/**
 * Measures log queries and reports slow ones with project, kind and duration. Leaves out the query text, because people who may not read the
 * entries can read logs and metrics.
 */
import type { LogArrivals, LogQueries } from '../../ports/logQueries.ts';
import type { Spans } from '../../ports/spans.ts';

export type QueryTime = { project: string; kind: string; tookMs: number; isSlow: boolean };

type Queries = LogQueries & LogArrivals;

/** A filter, an entry's place, or the project's slug. */
type QueryTarget = string | { project: string };

type Reporting = {
  slowMs: number;
  /** Called once the query has completed or failed, or a stream has its first entries. */
  metrics: { requests: { recordQuery(time: QueryTime): void } };
  log: { warn(facts: object, sentence: string): void };
  spans: Spans | null;
};

/** Wraps the queries to measure them, except background work for rules and followers. */
export function measureQueries(queries: Queries, reporting: Reporting): Queries {
  const answer = <Arguments extends [QueryTarget, ...unknown[]], Answer>(
    kind: string,
    query: (...given: Arguments) => Promise<Answer>,
  ) => {
    return async (...given: Arguments): Promise<Answer> => {
      using _measured = measure(kind, given[0], reporting);
      return await query(...given);
    };
  };
  const stream = <Arguments extends [QueryTarget, ...unknown[]], Part>(
    kind: string,
    query: (...given: Arguments) => AsyncIterable<Part>,
  ) => {
    return async function* (...given: Arguments): AsyncGenerator<Part> {
      using measured = measure(kind, given[0], reporting);
      for await (const part of query(...given)) {
        measured[Symbol.dispose]();
        yield part;
      }
    };
  };
  return {
    ...queries,
    findEntries: answer('entries', queries.findEntries),
    findCountedEntries: answer('count', queries.findCountedEntries),
    countEntries: answer('count', queries.countEntries),
    findEntry: answer('entry', queries.findEntry),
    findChildren: answer('children', queries.findChildren),
    findContext: answer('context', queries.findContext),
    findTimeRange: answer('time range', queries.findTimeRange),
    countByTime: answer('histogram', queries.countByTime),
    countValues: answer('values', queries.countValues),
    compareSpans: answer('comparison', queries.compareSpans),
    findFields: answer('fields', queries.findFields),
    findSeries: answer('series', queries.findSeries),
    findWindows: answer('windows', queries.findWindows),
    findPatterns: answer('patterns', queries.findPatterns),
    findProfile: answer('subject', queries.findProfile),
    listSubjects: answer('subjects', queries.listSubjects),
    listSubjectsSoon: answer('subjects', queries.listSubjectsSoon),
    listDatasets: answer('datasets', queries.listDatasets),
    listStored: answer('datasets', queries.listStored),
    countByDay: answer('usage', queries.countByDay),
    streamListed: stream('entries', queries.streamListed),
    streamEntries: stream('export', queries.streamEntries),
    streamEntryTexts: stream('export', queries.streamEntryTexts),
  };
}

/** Records the time on the first dispose. */
function measure(kind: string, asker: QueryTarget, { slowMs, metrics, log, spans }: Reporting): Disposable {
  const startedAt = performance.now();
  let isNoted = false;
  return {
    [Symbol.dispose]() {
      if (isNoted) return;
      isNoted = true;
      const tookMs = performance.now() - startedAt;
      const project = typeof asker === 'string' ? asker : asker.project;
      const isSlow = tookMs >= slowMs;
      metrics.requests.recordQuery({ project, kind, tookMs, isSlow });
      spans?.note({ name: `query logs: ${kind}`, startedAt, attributes: { 'tapedeck.project': project } });
      if (isSlow) log.warn({ project, kind, tookMs: Math.round(tookMs) }, 'a log query was slow');
    },
  };
}
