/** Handles questions about labels: their names, their values, and the existing streams. */
import { type Label, parseSelector, sanitizeName } from '@tapedeck/logql';
import { findLabelNames, findLabelValues, findStreams } from '@tapedeck/loki-queries';
import type { FastifyReply } from 'fastify';
import { sendJson } from '../compressedResponses.ts';
import { readSingle } from '../queryParameters.ts';
import { signalOf } from '../routing.ts';
import { composeScope, readMatches, readSpan } from './parameters.ts';
import type { LokiCall, LokiRouteDeps } from './queries.ts';

const lookBackMicros = 6 * 3_600_000_000; // Loki's, without a start

/** Reads the time range and the selector, if any. */
function readScope(deps: LokiRouteDeps, { parameters, request, caller }: LokiCall) {
  const isOpen =
    readSingle(parameters, 'start') === undefined && readSingle(parameters, 'since') === undefined;
  const span = readSpan(parameters, deps.clock.micros());
  const widened = isOpen ? { ...span, startMicros: span.endMicros - lookBackMicros } : span;
  return composeScope(request, caller, widened);
}

function readSelector({ parameters }: LokiCall) {
  const text = readSingle(parameters, 'query') ?? '';
  return text === '' ? [] : parseSelector(text);
}

export async function respondLabels(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const question = { scope: readScope(deps, call), matchers: readSelector(call) };
  return sendTexts(call, await findLabelNames(deps, question, signalOf(call.reply)));
}

/** Leaves out an empty list, as Loki does. */
function sendTexts({ reply }: LokiCall, data: readonly string[]): Promise<FastifyReply> {
  return sendJson(reply, { status: 'success', ...(data.length > 0 && { data }) });
}

export async function respondLabelValues(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  // The route's path contains it.
  const { name } = call.request.params as { name: string };
  const question = { scope: readScope(deps, call), matchers: readSelector(call), label: sanitizeName(name) };
  return sendTexts(call, await findLabelValues(deps, question, signalOf(call.reply)));
}

export async function respondSeries(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const scope = readScope(deps, call);
  const signal = signalOf(call.reply);
  const selectors = readMatches(call.parameters).map(text => parseSelector(text));
  const found = new Map<string, readonly Label[]>();
  for (const matchers of selectors.length === 0 ? [[]] : selectors)
    for (const labels of await findStreams(deps, { scope, matchers }, signal))
      found.set(JSON.stringify(labels), labels);
  return sendJson(call.reply, {
    status: 'success',
    data: [...found.values()].map(labels => Object.fromEntries(labels)),
  });
}
