/** Handles the further questions of Logs Drilldown: the labels and fields of lines, and what the service allows. */
import { type LogQuery, LogqlMistake, parseLogql, parseSelector } from '@tapedeck/logql';
import { detectFields, detectLabels, detectValues } from '@tapedeck/loki-queries';
import type { FastifyReply } from 'fastify';
import { sendJson } from '../compressedResponses.ts';
import { readSingle } from '../queryParameters.ts';
import { signalOf } from '../routing.ts';
import { composeScope, readLimit, readPositiveLimit, readSpan } from './parameters.ts';
import type { LokiCall, LokiRouteDeps } from './queries.ts';

const fieldsDefault = 1_000; // Loki's
const linesDefault = 100; // Loki's
const linesMax = 5_000;
/** The Loki version that these answers follow. */
const spokenVersion = '3.7.0';

/** Matches everything without a query. */
function readQuery({ parameters }: LokiCall): LogQuery {
  const text = readSingle(parameters, 'query') ?? '';
  if (text === '' || /^\s*\{\s*\}\s*$/.test(text))
    return { kind: 'log', matchers: parseSelector('{}'), stages: [] };
  const query = parseLogql(text);
  if (query.kind === 'log') return query;
  throw new LogqlMistake('only log selector is supported');
}

function readQuestion(deps: LokiRouteDeps, call: LokiCall) {
  const { parameters, request, caller } = call;
  const scope = composeScope(request, caller, readSpan(parameters, deps.clock.micros()));
  const lines = readLimit({ limit: readSingle(parameters, 'line_limit') }, linesDefault, linesMax);
  const limit = readSingle(parameters, 'limit') ?? readSingle(parameters, 'field_limit'); // its older name
  const fields = readPositiveLimit({ limit }, fieldsDefault);
  return { query: readQuery(call), scope, lines, limit: Math.min(fields, fieldsDefault) };
}

export async function respondDetectedLabels(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const question = readQuestion(deps, call);
  return sendJson(call.reply, { detectedLabels: await detectLabels(deps, question, signalOf(call.reply)) });
}

export async function respondDetectedFields(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const { limit, ...question } = readQuestion(deps, call);
  const fields = await detectFields(deps, question, signalOf(call.reply));
  return sendJson(call.reply, fields.length === 0 ? {} : { fields: fields.slice(0, limit), limit });
}

export async function respondDetectedValues(deps: LokiRouteDeps, call: LokiCall): Promise<FastifyReply> {
  const { limit, ...question } = readQuestion(deps, call);
  // The route's path contains it.
  const { name } = call.request.params as { name: string };
  const values = await detectValues(deps, { ...question, label: name }, signalOf(call.reply));
  return sendJson(call.reply, values.length === 0 ? {} : { values: values.slice(0, limit), limit });
}

export async function respondLimits(_deps: LokiRouteDeps, { reply }: LokiCall): Promise<FastifyReply> {
  return sendJson(reply, {
    limits: {
      discover_log_levels: true,
      discover_service_name: ['service_name'],
      log_level_fields: ['level', 'detected_level', 'severity'],
      max_entries_limit_per_query: linesMax,
      max_query_length: '0s',
      max_query_lookback: '0s',
      max_query_range: '0s',
      max_query_series: 500,
      metric_aggregation_enabled: false,
      pattern_persistence_enabled: true,
      query_timeout: '30s',
      retention_period: '0s',
      volume_enabled: true,
      volume_max_series: fieldsDefault,
    },
    pattern_ingester_enabled: true,
    version: spokenVersion,
  });
}
