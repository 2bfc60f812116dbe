/** Handles the routes that search log entries. */

import { compareLogs } from '@tapedeck/contract/logComparison';
import { listLogFields, listLogValues } from '@tapedeck/contract/logFields';
import { listLogPatterns } from '@tapedeck/contract/logPatterns';
import { getSeries } from '@tapedeck/contract/logSeries';
import * as contract from '@tapedeck/contract/logs';
import { listReadableDatasets } from '@tapedeck/domain/logs/datasets';
import { findPage } from '@tapedeck/domain/logs/search/pages';
import { allDatasets, composePlace, type LogSearchDeps } from '@tapedeck/domain/logs/search/searchFilter';
import { getContext, getEntry, listChildren } from '@tapedeck/domain/logs/search/singleEntries';
import { presentEntry, presentListed } from '../logs/entryForms.ts';
import { readPage, readPlace, readQuestion } from '../logs/logQueryRequests.ts';
import { isLong, sendInTurns } from '../longResponses.ts';
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
      const signal = signalOf(reply);
      const { entries, unread, ...pagination } = await findPage(deps, { filter, asked: pageRequest }, signal);
      const { project } = filter;
      const data = presentListed(deps, { project, listed: [...entries, ...unread], signal });
      if (Array.isArray(data) && !isLong(data)) return { ...ok, data, pagination };
      return sendInTurns(reply, { ...ok, data, pagination });
    },
    get: async ({ caller, params, request, reply }: RouteRequest<typeof contract.getLog>) => {
      const place = readPlace(request, caller, params.traceId);
      const answer = { ...ok, data: presentEntry(await getEntry(deps, place, signalOf(reply))) };
      return isLong(answer) ? sendInTurns(reply, answer) : answer;
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
      const signal = signalOf(reply);
      const found = await getContext(
        deps,
        { place, filter, before: query.before, after: query.after },
        signal,
      );
      const { project } = place;
      const entry = presentEntry(found.entry);
      const earlier = [...found.unreadBefore, ...found.before];
      const before = presentListed(deps, { project, listed: earlier, signal });
      const later = [...found.after, ...found.unreadAfter];
      const after = presentListed(deps, { project, listed: later, signal });
      if (Array.isArray(before) && Array.isArray(after)) {
        const data = { before, entry, after };
        if (!isLong(data)) return { ...ok, data };
      }
      return sendInTurns(reply, { ...ok, data: { before, entry, after } });
    },
    children: async ({ caller, params, query, reply }: RouteRequest<typeof contract.listLogChildren>) => {
      const place = composePlace(caller, query.dataset ?? allDatasets, params.traceId);
      const signal = signalOf(reply);
      const { entries, unread } = await listChildren(deps, place, signal);
      const { project } = place;
      const data = presentListed(deps, { project, listed: [...entries, ...unread], signal });
      if (Array.isArray(data) && !isLong(data)) return { ...ok, data };
      return sendInTurns(reply, { ...ok, data });
    },
    datasets: async ({ caller, reply }: RouteRequest<typeof contract.listDatasets>) => {
      const datasets = await listReadableDatasets(deps, caller, signalOf(reply));
      return { ...ok, data: datasets.map(writeDataset) };
    },
  };
}
