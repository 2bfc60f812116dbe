/** Lists the routes that Loki's clients read from. */
import type { FastifyReply } from 'fastify';
import { sendJson } from '../compressedResponses.ts';
import { type FormatFailure, type HandledRoute, handle, type RouteModule } from '../routing.ts';
import { lokiReading, lokiTail } from './contract.ts';
import {
  respondDetectedFields,
  respondDetectedLabels,
  respondDetectedValues,
  respondLimits,
} from './detection.ts';
import { respondLabels, respondLabelValues, respondSeries } from './labels.ts';
import { readLokiParameters } from './parameters.ts';
import {
  type LokiCall,
  type LokiRouteDeps,
  respondFormat,
  respondQuery,
  respondQueryRange,
} from './queries.ts';
import { type LokiTailDeps, respondTail } from './tail.ts';
import { respondPatterns, respondStatistics, respondVolume, respondVolumeRange } from './volumes.ts';

type Respond = (deps: LokiRouteDeps, call: LokiCall) => Promise<FastifyReply>;

const responses: readonly [(typeof lokiReading)[keyof typeof lokiReading], Respond][] = [
  [lokiReading.query, respondQuery],
  [lokiReading.queryRange, respondQueryRange],
  [lokiReading.labels, respondLabels],
  [lokiReading.label, respondLabels],
  [lokiReading.labelValues, respondLabelValues],
  [lokiReading.series, respondSeries],
  [lokiReading.stats, respondStatistics],
  [lokiReading.volume, respondVolume],
  [lokiReading.volumeRange, respondVolumeRange],
  [lokiReading.patterns, respondPatterns],
  [lokiReading.detectedLabels, respondDetectedLabels],
  [lokiReading.detectedFields, respondDetectedFields],
  [lokiReading.detectedValues, respondDetectedValues],
  [lokiReading.limits, respondLimits],
  [lokiReading.format, respondFormat],
  [lokiReading.rules, respondRules],
];

/** No group in any namespace; it means the same as YAML. */
async function respondRules(_deps: LokiRouteDeps, { reply }: LokiCall): Promise<FastifyReply> {
  return sendJson(reply, {});
}

/** Writes failures like Loki, as a sentence in plain text. */
const formatFailure: FormatFailure = ({ body }, { reply }) => {
  reply.type('text/plain; charset=utf-8');
  return body.error.endsWith('\n') ? body.error : `${body.error}\n`;
};

export const lokiModule: RouteModule<LokiTailDeps> = {
  routes: [...responses.flatMap(([routes]) => routes), lokiTail],
  handle: deps => [
    ...responses.flatMap(([routes, respond]) =>
      routes.map(
        (route): HandledRoute => ({
          ...handle(route, async ({ request, reply, caller }) => {
            const parameters = await readLokiParameters(request, caller);
            return respond(deps, { request, reply, caller, parameters });
          }),
          formatFailure,
        }),
      ),
    ),
    {
      ...handle(lokiTail, async ({ request, reply, caller }) => {
        const parameters = await readLokiParameters(request, caller);
        await respondTail(deps, { request, reply, caller, parameters });
        return reply;
      }),
      formatFailure,
    },
  ],
};
