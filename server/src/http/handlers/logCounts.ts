/** Handles counts of log entries over time, by field and by value, for tokens and signed-in users alike. */

import type { compareLogs } from '@tapedeck/contract/logComparison';
import type { listLogFields, listLogValues } from '@tapedeck/contract/logFields';
import type { listLogPatterns } from '@tapedeck/contract/logPatterns';
import type { getSeries } from '@tapedeck/contract/logSeries';
import type { getFacets, getHistogram } from '@tapedeck/contract/logs';
import type { ResponseOf, Route } from '@tapedeck/contract/route';
import { compareSpans } from '@tapedeck/domain/logs/search/comparison';
import { countByTime, countFacet } from '@tapedeck/domain/logs/search/counts';
import { listFields, listValues } from '@tapedeck/domain/logs/search/fields';
import { findPatterns } from '@tapedeck/domain/logs/search/patterns';
import type { LogSearchDeps } from '@tapedeck/domain/logs/search/searchFilter';
import { drawSeries, listStarts } from '@tapedeck/domain/logs/search/series';
import { formatMicros } from '@tapedeck/log-entries';
import type { FastifyReply } from 'fastify';
import { sendJson } from '../compressedResponses.ts';
import { readBuckets, readComparison, readQuestion, readSeries } from '../logs/logQueryRequests.ts';
import { readFlag } from '../queryParameters.ts';
import { ok, type RouteRequest, signalOf } from '../routing.ts';

export function respondLogCounts(deps: LogSearchDeps) {
  return {
    histogram: async ({ caller, request, reply }: RouteRequest<typeof getHistogram>) => {
      const { filter, parameters } = readQuestion(request, caller);
      const bucketsRequest = readBuckets(parameters);
      const buckets = await countByTime(deps, { filter, request: bucketsRequest }, signalOf(reply));
      return sendCounts<typeof getHistogram>(reply, { ...ok, data: buckets.map(writeBucket) });
    },
    series: async ({ caller, request, reply }: RouteRequest<typeof getSeries>) => {
      const { filter, parameters } = readQuestion(request, caller);
      const seriesRequest = readSeries(parameters);
      const { buckets, series } = await drawSeries(deps, { filter, asked: seriesRequest }, signalOf(reply));
      const data = {
        timestamps: listStarts(buckets).map(formatMicros),
        series: series.map(({ value, points }) => ({ value, points: [...points] })),
      };
      return sendCounts<typeof getSeries>(reply, { ...ok, data });
    },
    patterns: async ({ caller, request, reply }: RouteRequest<typeof listLogPatterns>) => {
      const { filter, parameters } = readQuestion(request, caller);
      const patternsRequest = { buckets: readBuckets(parameters), isNew: readFlag(parameters, 'new') };
      const { buckets, patterns, total } = await findPatterns(
        deps,
        { filter, asked: patternsRequest },
        signalOf(reply),
      );
      const data = patterns.map(({ firstMicros, lastMicros, counts, unique: _, ...pattern }) => ({
        ...pattern,
        patterns: [...pattern.patterns],
        paths: [...pattern.paths],
        firstSeenAt: formatMicros(firstMicros),
        lastSeenAt: formatMicros(lastMicros),
        counts: [...counts],
      }));
      const timestamps = listStarts(buckets).map(formatMicros);
      return sendCounts<typeof listLogPatterns>(reply, { ...ok, data, timestamps, total });
    },
    facets: async ({ caller, query, request, reply }: RouteRequest<typeof getFacets>) => {
      const { filter } = readQuestion(request, caller);
      const values = await countFacet(deps, { filter, field: query.field }, signalOf(reply));
      return { ...ok, data: [...values] };
    },
    comparison: async ({ caller, query, request, reply }: RouteRequest<typeof compareLogs>) => {
      const { filter, parameters } = readQuestion(request, caller);
      const asked = { baseline: readComparison(parameters), limit: query.limit };
      const { values, ...counts } = await compareSpans(deps, { filter, asked }, signalOf(reply));
      return sendCounts<typeof compareLogs>(reply, { ...ok, data: [...values], ...counts });
    },
    fields: async ({ caller, query, request, reply }: RouteRequest<typeof listLogFields>) => {
      const { filter } = readQuestion(request, caller);
      return { ...ok, data: await listFields(deps, { filter, prefix: query.prefix }, signalOf(reply)) };
    },
    values: async ({ caller, query, request, reply }: RouteRequest<typeof listLogValues>) => {
      const { filter } = readQuestion(request, caller);
      return { ...ok, data: await listValues(deps, { filter, ...query }, signalOf(reply)) };
    },
  };
}

type Bucket = Awaited<ReturnType<typeof countByTime>>[number];

function writeBucket({ startMicros, counts }: Bucket) {
  return { timestamp: formatMicros(startMicros), counts };
}

/** Compresses the answer, since counts are most of what a page of the dashboard loads, and repeat themselves. */
function sendCounts<R extends Route>(reply: FastifyReply, body: ResponseOf<R>): Promise<FastifyReply> {
  return sendJson(reply, body);
}
