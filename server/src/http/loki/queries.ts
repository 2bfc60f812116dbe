/** Handles queries for lines and numbers. */

import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import type { Clock } from '@tapedeck/domain/ports/clock';
import { formatLogql, LogqlMistake, parseForPrinting, parseLogql, type Steps } from '@tapedeck/logql';
import { computeMetric, findLines, type LokiDeps } from '@tapedeck/loki-queries';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../compressedResponses.ts';
import { type QueryParameters, readSingle } from '../queryParameters.ts';
import { signalOf } from '../routing.ts';
import {
  composeScope,
  readDirection,
  readInterval,
  readPositiveLimit,
  readSpan,
  readStep,
  readTime,
  requireFewPoints,
  requireLimitedLines,
  requireText,
  type TimeSpan,
} from './parameters.ts';
import { listMoments, presentLines, presentMatrix, presentVector, sendResult } from './presentation.ts';

export type LokiRouteDeps = LokiDeps & { clock: Clock };

export type LokiCall = {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: TokenPrincipal;
  parameters: QueryParameters;
};

const flagsHeader = 'x-loki-response-encoding-flags';

/** Returns whether the caller wants to know where labels come from. */
export function wantsCategories({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return String(headers[flagsHeader] ?? '')
    .split(',')
    .map(flag => flag.trim())
    .includes('categorize-labels');
}

export async function respondQueryRange(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const startedAt = performance.now();
  const { parameters, request, reply, caller } = call;
  const span = readSpan(parameters, deps.clock.micros());
  const limit = readPositiveLimit(parameters);
  const order = readDirection(parameters);
  const stepMicros = readStep(parameters, span);
  requireFewPoints(span, stepMicros);
  const intervalMicros = readInterval(parameters);
  const query = parseLogql(readSingle(parameters, 'query') ?? '');
  const scope = composeScope(request, caller, span);
  const signal = signalOf(reply);
  if (query.kind === 'log') {
    requireLimitedLines(limit);
    using held = deps.lineBudget.open(scope.project);
    const lines = await findLines(deps, { query, scope, order, limit, intervalMicros, held }, signal);
    return await sendResult(reply, startedAt, presentLines(lines, wantsCategories(request)));
  }
  const steps = alignSteps(span, stepMicros);
  const operand = await computeMetric(deps, { query, scope, steps, isMoment: false }, signal);
  return sendResult(reply, startedAt, presentMatrix(operand, listMoments(steps)));
}

/** Widens the range to whole steps since the epoch (CONTRACT.md, 16.4). */
export function alignSteps({ startMicros, endMicros }: TimeSpan, stepMicros: number): Steps {
  const first = Math.floor(startMicros / stepMicros);
  const last = Math.ceil(endMicros / stepMicros);
  return { firstMicros: first * stepMicros, stepMicros, count: last - first + 1 };
}

export async function respondQuery(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const startedAt = performance.now();
  const { parameters, request, reply, caller } = call;
  readPositiveLimit(parameters);
  const atMicros = readTime(parameters, 'time') ?? deps.clock.micros();
  readDirection(parameters);
  const query = parseLogql(readSingle(parameters, 'query') ?? '');
  if (query.kind === 'log')
    throw new LogqlMistake(
      'log queries are not supported as an instant query type, please change your query to a range query type',
    );
  const scope = composeScope(request, caller, { startMicros: atMicros, endMicros: atMicros });
  const steps = { firstMicros: Math.floor(atMicros), stepMicros: 1, count: 1 };
  const operand = await computeMetric(deps, { query, scope, steps, isMoment: true }, signalOf(reply));
  return sendResult(reply, startedAt, presentVector(operand, atMicros));
}

export async function respondFormat(
  _deps: LokiRouteDeps,
  { parameters, reply }: LokiCall,
): Promise<FastifyReply> {
  return sendJson(reply, {
    status: 'success',
    data: formatLogql(parseForPrinting(requireText(parameters, 'query'))),
  });
}
