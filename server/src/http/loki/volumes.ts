/** Handles questions about log volume. */

import { invalidFieldError } from '@tapedeck/domain/vocabulary';
import { LogqlMistake, type Matcher, parseLogql, parseSelector } from '@tapedeck/logql';
import { countSelected, findLinePatterns, findVolumes, type VolumeQuestion } from '@tapedeck/loki-queries';
import type { FastifyReply } from 'fastify';
import { sendJson } from '../compressedResponses.ts';
import { readSingle } from '../queryParameters.ts';
import { signalOf } from '../routing.ts';
import {
  composeScope,
  readNames,
  readPositiveLimit,
  readSpan,
  readStep,
  requireText,
  type TimeSpan,
} from './parameters.ts';
import { presentMatrix, presentVector, sendResult } from './presentation.ts';
import { alignSteps, type LokiCall, type LokiRouteDeps } from './queries.ts';

const valuesDefault = 100; // Loki's
const valuesMax = 1_000; // Loki's
const bucketsMax = 11_002; // as for numbers over time: Loki's 11,000, plus one at each end
const patternStepMicrosMin = 10_000_000; // Loki's

/** Reads a selector. Ignores stages after it, which the index cannot evaluate. */
function readMatchers({ parameters }: LokiCall): readonly Matcher[] {
  const text = requireText(parameters, 'query');
  if (/^\s*\{\s*\}\s*$/.test(text)) return parseSelector(text);
  const query = parseLogql(text);
  if (query.kind !== 'log') throw new LogqlMistake('only label matchers are supported');
  return query.matchers;
}

export async function respondStatistics(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const { parameters, request, reply, caller } = call;
  const scope = composeScope(request, caller, readSpan(parameters, deps.clock.micros()));
  return sendJson(reply, await countSelected(deps, { matchers: readMatchers(call), scope }, signalOf(reply)));
}

type Volumes = Omit<VolumeQuestion, 'steps'> & { span: TimeSpan };

function readVolumes(deps: LokiRouteDeps, call: LokiCall): Volumes {
  const { parameters, request, caller } = call;
  const span = readSpan(parameters, deps.clock.micros());
  return {
    matchers: readMatchers(call),
    span,
    scope: composeScope(request, caller, span),
    labels: readNames(parameters, 'targetLabels'),
    isByName: readAggregation(parameters) === 'labels',
    limit: readVolumeLimit(parameters),
  };
}

function readAggregation(parameters: LokiCall['parameters']): string {
  const word = readSingle(parameters, 'aggregateBy') ?? '';
  if (word === '' || word === 'series' || word === 'labels') return word;
  throw invalidFieldError('aggregateBy', 'invalid aggregation option');
}

/** A limit of 0 means the default. Too high a limit is accepted, because Logs Drilldown asks for 5,000. */
function readVolumeLimit(parameters: LokiCall['parameters']): number {
  if (readSingle(parameters, 'limit') === '0') return valuesDefault;
  return Math.min(readPositiveLimit(parameters, valuesDefault), valuesMax);
}

export async function respondVolume(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const startedAt = performance.now();
  const { span, ...volumes } = readVolumes(deps, call);
  const { toMicros, fromMicros } = volumes.scope;
  const lengthMicros = Math.max((toMicros ?? 0) - (fromMicros ?? 0) + 1, 1);
  const steps = { firstMicros: toMicros ?? 0, stepMicros: lengthMicros, count: 1 };
  const series = await findVolumes(deps, { ...volumes, steps }, signalOf(call.reply));
  return sendResult(call.reply, startedAt, presentVector({ kind: 'series', series }, span.endMicros));
}

export async function respondVolumeRange(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const startedAt = performance.now();
  const { span, ...volumes } = readVolumes(deps, call);
  const { steps, moments } = divideSpan(span, readStep(call.parameters, span));
  const series = await findVolumes(deps, { ...volumes, steps }, signalOf(call.reply));
  return sendResult(call.reply, startedAt, presentMatrix({ kind: 'series', series }, moments));
}

const millisecond = 1_000;

/** Divides the span at multiples of the step. Loki dates each part a millisecond before its end, but the last one at the end of the span. */
function divideSpan({ startMicros, endMicros }: TimeSpan, stepMicros: number) {
  const first = Math.floor(startMicros / stepMicros);
  const count = Math.max(Math.ceil(endMicros / stepMicros) - first, 1);
  requireFew(count);
  const ends = Array.from({ length: count }, (_, part) => (first + part + 1) * stepMicros);
  return {
    steps: { firstMicros: (first + 1) * stepMicros - 1, stepMicros, count },
    moments: ends.map((end, part) => (part === count - 1 ? endMicros : end - millisecond)),
  };
}

function requireFew(count: number): void {
  if (count > bucketsMax)
    throw new LogqlMistake(
      `a range has at most ${bucketsMax} steps here; ask for a longer step or a shorter time`,
    );
}

export async function respondPatterns(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const { parameters, request, reply, caller } = call;
  const span = readSpan(parameters, deps.clock.micros());
  const asked = Math.max(readStep(parameters, span), patternStepMicrosMin);
  const { firstMicros, stepMicros, count } = alignSteps(span, asked);
  requireFew(count);
  const question = {
    matchers: readMatchers(call),
    scope: composeScope(request, caller, span),
    steps: { firstMicros, stepMicros, count },
  };
  return sendJson(reply, {
    status: 'success',
    data: await findLinePatterns(deps, question, signalOf(reply)),
  });
}
