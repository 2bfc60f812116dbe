/** Reads the input of Loki's clients: parameters in the URL or in a form, times, spans and datasets. */
import { parse } from 'node:querystring';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gate } from '@tapedeck/concurrency/gate';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import { chooseDatasets, requireDatasetName } from '@tapedeck/domain/logs/datasetRules';
import type { LogFilter, LogOrder } from '@tapedeck/domain/ports/logQueries';
import { invalidFieldError, ServiceError } from '@tapedeck/domain/vocabulary';
import { everything } from '@tapedeck/log-query-language';
import { parseDuration, spanNsMax } from '@tapedeck/logql';
import { requireLength } from '@tapedeck/request-bodies';
import { parseInstantMicros } from '@tapedeck/values/json';
import type { FastifyRequest } from 'fastify';
import { readBody } from '../logs/logRequests.ts';
import { type QueryParameters, readAll, readSingle } from '../queryParameters.ts';

const hourMicros = 3_600_000_000;
const defaultSteps = 250; // Loki's
const pointsMax = 11_000; // Loki's
const linesDefault = 100; // CONTRACT.md, 16.1
const formBytesMax = 1024 * 1024; // far more than the longest query, in any encoding
const parametersMax = 10_000; // clients send a dozen; read in some milliseconds
const linesMax = 5_000; // CONTRACT.md, 16.1
const briefBytesMax = 1_024; // as most queries are; a millisecond to read
const selectorsMax = 20; // each is a query to the store
const namesMax = 20; // the same
const writtenMicrosMax = 10_000 * 366 * 86_400 * 1e6; // ten thousand years, all that RFC 3339 can express

/** Parameters in the form take precedence over those in the URL. */
export async function readLokiParameters(
  request: FastifyRequest,
  { project }: Pick<TokenPrincipal, 'project'>,
): Promise<QueryParameters> {
  if (request.url.length > briefBytesMax) await waitInLine(project.slug);
  const address = request.parameters;
  if (request.method !== 'POST') return address;
  requireLength(request.headers, formBytesMax);
  using body = await readBody(request);
  if (body.bytes.length > briefBytesMax) await waitInLine(project.slug);
  requireFewParameters(body.bytes);
  return { ...address, ...parse(body.bytes.toString('utf8'), '&', '=', { maxKeys: 0 }) };
}

/** Reading two hundred thousand distinct names would block the event loop. */
function requireFewParameters(form: Buffer): void {
  let parameters = 1;
  for (let at = form.indexOf('&'); at >= 0; at = form.indexOf('&', at + 1))
    if (++parameters > parametersMax)
      throw new ServiceError('bad_request', `A form may hold at most ${parametersMax} parameters.`);
}

const line = new Gate(1);

/**
 * Reads one long query per turn of the event loop, and projects take turns. A thousand queries read in a single turn took so long that the
 * watchdog ended the service.
 */
async function waitInLine(project: string): Promise<void> {
  using _pass = await line.enter(project);
  await nextTurn();
}

export function requireText(parameters: QueryParameters, name: string): string {
  const text = readSingle(parameters, name) ?? '';
  if (text !== '') return text;
  throw invalidFieldError(name, `${name} is missing: write a query, such as {service_name="game"}.`);
}

/** Reads nanoseconds, seconds with or without a fraction, or RFC 3339; null: absent. */
export function readTime(parameters: QueryParameters, name: string): number | null {
  const text = readSingle(parameters, name) ?? '';
  if (text === '') return null;
  const micros = parseTime(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (micros !== null && Math.abs(micros) <= writtenMicrosMax) return clampMicros(micros);
  const mistake = micros === null ? 'invalid syntax' : 'value out of range';
  const sentence = `strconv.ParseInt: parsing ${JSON.stringify(text.slice(0, 100))}: ${mistake}`;
  throw invalidFieldError(
    name,
    name === 'time' ? sentence : `could not parse '${name}' parameter: ${sentence}`,
  );
}

/** Returns microseconds, with a fraction for nanoseconds. */
function parseTime(text: string): number | null {
  if (/^-?\d+$/.test(text)) return parseWholeTime(text);
  if (/^-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/.test(text)) return Math.round(Number(text) * 1e3) * 1e3; // rounded to milliseconds, as in Loki
  return parseInstantMicros(text);
}

/** Treats more nanoseconds than Loki's integers hold as out of range. */
function parseWholeTime(text: string): number {
  const number = Number(text);
  if (text.replace('-', '').length <= 10) return number * 1e6;
  return Math.abs(number) <= spanNsMax ? number / 1_000 : Number.POSITIVE_INFINITY;
}

/** Entries lie far within these bounds, so nothing is lost, and calculations with times stay exact enough. */
function clampMicros(micros: number): number {
  return Math.min(Math.max(micros, -spanNsMax / 1_000), spanNsMax / 1_000);
}

export type TimeSpan = { startMicros: number; endMicros: number };

/** Defaults to the last hour. */
export function readSpan(parameters: QueryParameters, nowMicros: number): TimeSpan {
  const endMicros = readTime(parameters, 'end') ?? nowMicros;
  const since = readSingle(parameters, 'since');
  const sinceNs = since === undefined || since === '' ? null : parseDuration(since);
  if (since !== undefined && since !== '' && sinceNs === null)
    throw invalidFieldError(
      'since',
      `could not parse 'since' parameter: not a valid duration string: "${since.slice(0, 100)}"`,
    );
  const lengthMicros = sinceNs === null ? hourMicros : sinceNs / 1_000;
  const startMicros = readTime(parameters, 'start') ?? Math.min(endMicros, nowMicros) - lengthMicros;
  if (endMicros < startMicros)
    throw invalidFieldError('end', 'end timestamp must not be before or equal to start time');
  return { startMicros, endMicros };
}

/** Reads the step of a range query. The default gives about 250 steps. */
export function readStep(parameters: QueryParameters, { startMicros, endMicros }: TimeSpan): number {
  const text = readSingle(parameters, 'step') ?? '';
  if (text === '') return Math.max(Math.floor((endMicros - startMicros) / 1e6 / defaultSteps), 1) * 1e6;
  const micros = readSeconds(text, 'step');
  if (micros <= 0)
    throw invalidFieldError(
      'step',
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    );
  return Math.max(Math.round(micros), 1);
}

/** Applies to log queries, too, as in Loki. */
export function requireFewPoints({ startMicros, endMicros }: TimeSpan, stepMicros: number): void {
  if (Math.floor((endMicros - startMicros) / stepMicros) > pointsMax)
    throw invalidFieldError(
      'step',
      `exceeded maximum resolution of ${pointsMax.toLocaleString('en')} points per time series. Try increasing the value of the step parameter`,
    );
}

/** Reads the minimum time between two lines. */
export function readInterval(parameters: QueryParameters): number {
  const text = readSingle(parameters, 'interval') ?? '';
  const micros = text === '' ? 0 : readSeconds(text, 'interval');
  if (micros < 0) throw invalidFieldError('interval', 'interval must be >= 0');
  return micros;
}

/** Parses seconds, or a duration with a unit. */
function readSeconds(text: string, name: string): number {
  const isNumber = /^-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/.test(text);
  const ns = isNumber ? Number(text) * 1e9 : parseDuration(text);
  const sentence = `cannot parse "${text.slice(0, 100)}" to a valid duration`;
  if (ns === null) throw invalidFieldError(name, sentence);
  if (Math.abs(ns) > spanNsMax) throw invalidFieldError(name, `${sentence}. It overflows int64`);
  return ns / 1_000;
}

/** Reads the limit for lines. Metric queries ignore it. */
export function readLimit(parameters: QueryParameters, otherwise = linesDefault, max = linesMax): number {
  const limit = readPositiveLimit(parameters, otherwise);
  requireLimitedLines(limit, max);
  return limit;
}

export function readPositiveLimit(parameters: QueryParameters, otherwise = linesDefault): number {
  const text = readSingle(parameters, 'limit') ?? '';
  if (text === '') return otherwise;
  const limit = readWhole('limit', text);
  if (limit <= 0) throw invalidFieldError('limit', 'limit must be a positive value');
  return limit;
}

const wholeCharactersMax = 40; // twice the digits of 64 bits; a million digits take long to read

/** Reads a whole number as Go does. */
export function readWhole(name: string, text: string): number {
  const isWhole = /^[+-]?\d+$/.test(text);
  const whole = isWhole && text.length <= wholeCharactersMax ? BigInt(text.replace('+', '')) : null;
  if (whole !== null && BigInt.asIntN(64, whole) === whole) return Number(whole);
  const mistake = isWhole ? 'value out of range' : 'invalid syntax';
  throw invalidFieldError(name, `strconv.Atoi: parsing "${text.slice(0, 100)}": ${mistake}`);
}

export function requireLimitedLines(limit: number, max = linesMax): void {
  if (limit <= max) return;
  throw invalidFieldError(
    'limit',
    `max entries limit per query exceeded, limit > max_entries_limit_per_query (${limit} > ${max})`,
  );
}

export function readDirection(parameters: QueryParameters): LogOrder {
  const word = readSingle(parameters, 'direction') ?? '';
  if (word === '' || word.toLowerCase() === 'backward') return 'desc';
  if (word.toLowerCase() === 'forward') return 'asc';
  throw invalidFieldError('direction', `invalid direction '${word.slice(0, 100)}'`);
}

/** Reads several selectors, any of which may match. */
export function readMatches(parameters: QueryParameters): readonly string[] {
  const all = [...readAll(parameters, 'match[]'), ...readAll(parameters, 'match')];
  const selectors = new Set(all.filter(text => text !== ''));
  if (selectors.size <= selectorsMax) return [...selectors];
  throw invalidFieldError('match[]', `at most ${selectorsMax} selectors are asked for at a time`);
}

/** Reads names separated by commas. */
export function readNames(parameters: QueryParameters, name: string): readonly string[] {
  const all = (readSingle(parameters, name) ?? '').split(',').map(text => text.trim());
  const names = new Set(all.filter(text => text !== ''));
  if (names.size <= namesMax) return [...names];
  throw invalidFieldError(name, `${name} holds at most ${namesMax} names`);
}

/** Includes the start but not the end, as for lists of lines. */
export function composeScope(
  request: FastifyRequest,
  caller: TokenPrincipal,
  { startMicros, endMicros }: TimeSpan,
): LogFilter {
  return {
    project: caller.project.slug,
    datasets: readDatasets(request, caller),
    fromMicros: Math.ceil(startMicros),
    toMicros: Math.ceil(endMicros) - 1,
    condition: everything,
  };
}

/** Tenants are datasets. Without any, all datasets that the token may read are meant. */
function readDatasets(request: FastifyRequest, { scopes }: TokenPrincipal): string[] | null {
  const header = String(request.headers['x-scope-orgid'] ?? '');
  const names = header.split('|').filter(name => name !== '');
  if (names.length === 0) return chooseDatasets(scopes, null);
  for (const name of names) requireDatasetName(name);
  return names.flatMap(name => chooseDatasets(scopes, name) ?? []);
}
