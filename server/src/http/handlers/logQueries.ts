/** Answers the routes that find log entries again. */

import { formatMicros } from '@tapedeck/log-entries';
import * as contract from '../../contract/logs.ts';
import { findRetentionDays } from '../../domain/datasets.ts';
import type { CursorSeal } from '../../domain/logs/query/cursor.ts';
import type { LogFilter, LogQueries } from '../../domain/ports/logQueries.ts';
import type { Project } from '../../domain/ports/metadata.ts';
import { limits, ServiceError } from '../../vocabulary.ts';
import { signalOf } from '../abortSignals.ts';
import { presentEntry } from '../logs/entryForms.ts';
import { readBuckets, readField, readLogPage, requireBuckets } from '../logs/logParameters.ts';
import { readPlace, readQuestion } from '../logs/logQuestions.ts';
import { type Asked, type HandledRoute, handle, ok } from '../registry.ts';

const logContextEntriesMax = 100; // on each side; SERVICE.md's largest page

export type LogQueryDeps = { logQueries: LogQueries; cursorSeal: CursorSeal };

export function handleLogQueries(deps: LogQueryDeps): HandledRoute[] {
  const answers = answerLogQuestions(deps);
  return [
    handle(contract.queryLogs, answers.query),
    handle(contract.getLog, answers.get),
    handle(contract.getLogContext, answers.context),
    handle(contract.getHistogram, answers.histogram),
    handle(contract.getFacets, answers.facets),
    handle(contract.listDatasets, answers.datasets),
  ];
}

/** The answers that routes for tokens and routes for signed-in users share. */
export function answerLogQuestions(deps: LogQueryDeps) {
  return { ...answerSearch(deps), ...answerSingle(deps), ...answerCounts(deps) };
}

function answerSearch({ logQueries, cursorSeal }: LogQueryDeps) {
  return {
    query: async ({ caller, request, reply }: Asked<typeof contract.queryLogs>) => {
      const { filter, parameters } = readQuestion(request, caller);
      const { page, includeTotal } = readLogPage(parameters, cursorSeal);
      const signal = signalOf(reply);
      const [{ entries, hasMore }, total] = await Promise.all([
        logQueries.findEntries(filter, page, signal),
        includeTotal ? logQueries.countEntries(filter, signal) : 0,
      ]);
      const last = entries.at(-1);
      const nextCursor = hasMore && last !== undefined ? cursorSeal.encode(last.traceId) : null;
      const { limit, offset } = page;
      return {
        ...ok,
        data: entries.map(presentEntry),
        pagination: { hasMore, limit, offset, total, nextCursor },
      };
    },
  };
}

function answerSingle({ logQueries }: LogQueryDeps) {
  return {
    get: async ({ caller, params, request, reply }: Asked<typeof contract.getLog>) => {
      const entry = await logQueries.findEntry(readPlace(request, caller, params.traceId), signalOf(reply));
      if (entry === null) throw noEntryError();
      return { ...ok, data: presentEntry(entry) };
    },
    context: async ({ caller, params, query, request, reply }: Asked<typeof contract.getLogContext>) => {
      const before = readSide(query.before);
      const after = readSide(query.after);
      const { filter } = readQuestion(request, caller, '*'); // the entry says which dataset it is
      const place = readPlace(request, caller, params.traceId);
      const context = await logQueries.findContext(place, { filter, before, after }, signalOf(reply));
      if (context === null) throw noEntryError();
      const present = (entries: typeof context.before) => entries.map(presentEntry);
      return {
        ...ok,
        data: {
          before: present(context.before),
          entry: presentEntry(context.entry),
          after: present(context.after),
        },
      };
    },
  };
}

function answerCounts({ logQueries }: LogQueryDeps) {
  return {
    histogram: async ({ caller, request, reply }: Asked<typeof contract.getHistogram>) => {
      const { filter, parameters } = readQuestion(request, caller);
      const asked = readBuckets(parameters);
      const span = await findSpan(logQueries, filter, signalOf(reply));
      if (span === null) return { ...ok, data: [] };
      const buckets = await logQueries.countByTime(filter, requireBuckets(asked, span), signalOf(reply));
      return {
        ...ok,
        data: buckets.map(({ startMicros, counts }) => ({ timestamp: formatMicros(startMicros), counts })),
      };
    },
    facets: async ({ caller, query, request, reply }: Asked<typeof contract.getFacets>) => {
      const { filter } = readQuestion(request, caller);
      const values = await logQueries.countValues(filter, readField(query.field), signalOf(reply));
      return { ...ok, data: [...values] };
    },
    datasets: async ({ caller, reply }: Asked<typeof contract.listDatasets>) => {
      const datasets = await logQueries.listDatasets(caller.project.slug, signalOf(reply));
      const seen = datasets.filter(({ name }) => caller.scopes.datasets?.has(name) ?? true);
      return { ...ok, data: seen.map(dataset => writeDataset(caller.project, dataset)) };
    },
  };
}

/** Where the query gives no `from` or `to`, the time of the first or last match takes its place. null: no match. */
async function findSpan(logQueries: LogQueries, filter: LogFilter, signal: AbortSignal) {
  const { fromMicros, toMicros } = filter;
  if (fromMicros !== null && toMicros !== null)
    return fromMicros <= toMicros ? { fromMicros, toMicros } : null;
  const found = await logQueries.findTimeRange(filter, signal);
  return found && { fromMicros: fromMicros ?? found.fromMicros, toMicros: toMicros ?? found.toMicros };
}

function readSide(entries: number = limits.logContextEntriesDefault): number {
  return Math.min(entries, logContextEntriesMax);
}

function writeDataset(project: Project, dataset: Awaited<ReturnType<LogQueries['listDatasets']>>[number]) {
  const { name, entries, bytes, lastEntryMicros } = dataset;
  const retentionDays = findRetentionDays(project, name);
  return {
    name,
    entries,
    bytes,
    retentionDays,
    lastEntryAt: entries === 0 ? null : formatMicros(lastEntryMicros),
  };
}

function noEntryError(): ServiceError {
  return new ServiceError('not_found', 'There is no log entry with this traceId.');
}
