/** Handles the routes that search log entries. */

import { compareLogs } from '@tapedeck/contract/logComparison';
import { listLogFields, listLogValues } from '@tapedeck/contract/logFields';
import { listLogPatterns } from '@tapedeck/contract/logPatterns';
import { getSeries } from '@tapedeck/contract/logSeries';
import * as contract from '@tapedeck/contract/logs';
import { listReadableDatasets } from '../../domain/logs/datasets.ts';
import { findPage } from '../../domain/logs/search/pages.ts';
import { allDatasets, composePlace, type LogSearchDeps } from '../../domain/logs/search/searchFilter.ts';
import { getContext, getEntry, listChildren } from '../../domain/logs/search/singleEntries.ts';
import { isLong, presentEntry } from '../logs/entryForms.ts';
import { readPage, readPlace, readQuestion } from '../logs/logQueryRequests.ts';
import { sendInTurns } from '../longAnswers.ts';
import { type HandledRoute, handle, ok, type RouteRequest, signalOf } from '../routing.ts';
import { writeDataset } from './datasets.ts';
import { respondLogCounts } from './logCounts.ts';

export function handleLogQueries(deps: LogSearchDeps): HandledRoute[] {
  const answers = respondLogQueries(deps);
  return [
    handle(contract.queryLogs, answers.query),
    handle(contract.getLog, answers.get),
    handle(contract.getLogContext, answers.context),
    handle(contract.listLogChildren, answers.children),
    handle(contract.getHistogram, answers.histogram),
    handle(getSeries, answers.series),
    handle(listLogPatterns, answers.patterns),
    handle(contract.getFacets, answers.facets),
    handle(compareLogs, answers.comparison),
    handle(listLogFields, answers.fields),
    handle(listLogValues, answers.values),
    handle(contract.listDatasets, answers.datasets),
  ];
}

/** The token routes and the signed-in routes share these answers. */
export function respondLogQueries(deps: LogSearchDeps) {
  return {
    ...respondLogCounts(deps),
    query: async ({ caller, request, reply }: RouteRequest<typeof contract.queryLogs>) => {
      const { filter, parameters } = readQuestion(request, caller);
      const pageRequest = readPage(parameters);
      const { entries, ...pagination } = await findPage(
        deps,
        { filter, asked: pageRequest },
        signalOf(reply),
      );
      const answer = { ...ok, data: entries.map(presentEntry), pagination };
      return isLong(answer) ? sendInTurns(reply, answer) : answer;
    },
    get: async ({ caller, params, request, reply }: RouteRequest<typeof contract.getLog>) => {
      const place = readPlace(request, caller, params.traceId);
      return { ...ok, data: presentEntry(await getEntry(deps, place, signalOf(reply))) };
    },
    context: async ({
      caller,
      params,
      query,
      request,
      reply,
    }: RouteRequest<typeof contract.getLogContext>) => {
      const { filter } = readQuestion(request, caller, '*'); // the entry itself names its dataset
      const place = readPlace(request, caller, params.traceId);
      const { before, after } = query;
      const found = await getContext(deps, { place, filter, before, after }, signalOf(reply));
      const data = {
        before: found.before.map(presentEntry),
        entry: presentEntry(found.entry),
        after: found.after.map(presentEntry),
      };
      const answer = { ...ok, data };
      return isLong(answer) ? sendInTurns(reply, answer) : answer;
    },
    children: async ({ caller, params, query, reply }: RouteRequest<typeof contract.listLogChildren>) => {
      const place = composePlace(caller, query.dataset ?? allDatasets, params.traceId);
      const children = await listChildren(deps, place, signalOf(reply));
      const answer = { ...ok, data: children.map(presentEntry) };
      return isLong(answer) ? sendInTurns(reply, answer) : answer;
    },
    datasets: async ({ caller, reply }: RouteRequest<typeof contract.listDatasets>) => {
      const datasets = await listReadableDatasets(deps, caller, signalOf(reply));
      return { ...ok, data: datasets.map(writeDataset) };
    },
  };
}
