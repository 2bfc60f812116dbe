/**
 * Turns a Sentry event into an entry: the message is the exception with its stack or the event's message, and the rest becomes metadata within the
 * limits.
 */

import { addPresent, FittedMetadata, type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue } from '../reading/bodySplitting.ts';
import { aheadMsMax, finishEntry } from '../reading/entryLimiting.ts';
import type { SentEntry, Wording } from '../reading/sentEntry.ts';
import { readAnyTime } from '../reading/times.ts';
import { composeMessage } from './messageTemplates.ts';

const framesMax = 100; // per exception; a stack overflow has thousands
const exceptionsMax = 20; // per chain
const breadcrumbsMax = 20; // CONTRACT.md, 16.4

/** Fields that do not become metadata. */
const placed: ReadonlySet<string> = new Set([
  'level',
  'timestamp',
  'exception',
  'message',
  'logentry',
  'breadcrumbs',
  'tags',
  'modules',
  'sdk',
  'threads',
]);
/** Fields that users search for come first, in case the rest does not fit. */
const first = ['event_id', 'release', 'environment', 'server_name', 'transaction', 'logger', 'user'] as const;

/** `files` describes each attachment. */
export function readEvent(event: JsonObject, files: readonly JsonObject[], { levels }: Wording): SentEntry {
  const sent = listExceptions(event);
  const exceptions = sent.slice(0, exceptionsMax);
  const message = readMessage(event);
  const described = [
    ...exceptions.map(describeException),
    ...(sent.length > exceptionsMax ? [`… ${sent.length - exceptionsMax} more`] : []),
  ].join('\nCaused by: ');
  // SDKs attach the call stack to messages as an exception without a type.
  const isMessage = message !== '' && exceptions.every(each => !each.type && each.value === message);
  const stack = isMessage ? '' : described;
  const time = readAnyTime(event.timestamp) ?? undefined;
  // SDKs do not resend events, so events from clocks that are days ahead are kept, too.
  const isUsable = time === undefined || time <= Date.now() + aheadMsMax;
  const metadata = new FittedMetadata();
  if (!isUsable) addPresent(metadata, 'timestamp', event.timestamp);
  for (const name of first) addPresent(metadata, name, event[name]);
  if (stack !== '' && message !== '') addPresent(metadata, 'message', message);
  addPresent(metadata, 'tags', readTags(event.tags));
  if (isMessage && described !== '')
    addPresent(metadata, 'stacktrace', described.slice(message.length).trimStart());
  files.forEach((file, index) => void addPresent(metadata, `attachments.${index}`, file));
  const { sdk } = event;
  if (isObject(sdk)) addPresent(metadata, 'sdk', { name: sdk.name, version: sdk.version });
  for (const name of ['contexts', 'extra', 'request'])
    if (event[name] !== undefined) addPresent(metadata, name, event[name]);
  for (const [index, { module, mechanism }] of exceptions.entries())
    addPresent(metadata, `exception.${index}`, { module, mechanism });
  if (isObject(event.logentry)) addTemplate(metadata, event.logentry, message);
  addBreadcrumbs(metadata, event.breadcrumbs);
  addPresent(metadata, 'threads', listValues(event.threads).filter(isObject).map(describeThread));
  if (isObject(event.modules)) addPresent(metadata, 'modules', joinModules(event.modules));
  for (const name in event)
    if (!placed.has(name) && !hasKey(metadata, name)) addPresent(metadata, name, event[name]);
  exceptions.forEach((each, index) => void addVariables(metadata, `exception.${index}.vars`, each));
  const text = stack || message || describeValue(event.title) || describeValue(event.type) || 'Event';
  return {
    dataset: null,
    level: readLevel(event.level, levels),
    timestamp: isUsable ? time : undefined,
    ...finishEntry({ message: text.toWellFormed(), resource: readResource(event) }, metadata),
  };
}

function hasKey(metadata: FittedMetadata, name: string): boolean {
  if (metadata.has(name)) return true;
  for (const key of metadata.keys()) if (key.startsWith(`${name}.`)) return true;
  return false;
}

/** Sentry's default level is `error`. */
function readLevel(value: unknown, levels: Wording['levels']): LogLevel {
  if (value === 'log') return 'info';
  if (typeof value === 'number') return readPythonLevel(value);
  return readLevelSynonym(levels, value) ?? 'error';
}

/** The oldest clients send the numbers of Python's `logging`. */
function readPythonLevel(value: number): LogLevel {
  if (value < 20) return 'debug';
  if (value < 30) return 'info';
  return value < 40 ? 'warn' : 'error';
}

/** Returns the program from a release such as `game@1.2.3`, otherwise the host. */
export function readResource({ release, server_name }: JsonObject): string {
  const [, program] = (typeof release === 'string' && /^([^@]+)@/.exec(release)) || [];
  const name = program ?? (typeof server_name === 'string' ? server_name : '');
  return name.toWellFormed();
}

function readMessage({ message, logentry }: JsonObject): string {
  for (const each of [logentry, message]) {
    if (typeof each === 'string' && each !== '') return each;
    if (!isObject(each)) continue;
    const text = describeValue(each.formatted) || composeMessage(describeValue(each.message), each.params);
    if (text !== '') return text;
  }
  return '';
}

/** Lists exceptions from the caught one to the first cause. The protocol uses the opposite order. */
function listExceptions({ exception }: JsonObject): JsonObject[] {
  return listValues(exception).filter(isObject).reverse();
}

/** Accepts `{"values": […]}`, a bare list, or a single value. */
function listValues(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Array.isArray(value.values) ? value.values : [value];
}

function describeException({ type, value, stacktrace }: JsonObject): string {
  const head = [describeValue(type), describeValue(value)].filter(Boolean).join(': ') || 'Error';
  return [head, ...describeFrames(stacktrace)].join('\n');
}

/** Crashing programs report each thread's stack. */
function describeThread({ id, name, crashed, stacktrace }: JsonObject): string {
  const head = [describeValue(name) || describeValue(id) || 'thread', crashed === true ? '(crashed)' : ''];
  return [head.filter(Boolean).join(' '), ...describeFrames(stacktrace)].join('\n');
}

function describeFrames(stacktrace: unknown): string[] {
  const frames = listFrames(stacktrace);
  const shown = frames.slice(-framesMax).reverse().map(describeFrame);
  const left = frames.length - shown.length;
  return [...shown, ...(left > 0 ? [`    … ${left} more`] : [])];
}

function listFrames(stacktrace: unknown): JsonObject[] {
  return isObject(stacktrace) && Array.isArray(stacktrace.frames) ? stacktrace.frames.filter(isObject) : [];
}

/** Adds variables only from the frame that raised the exception, because there may be many. */
function addVariables(metadata: FittedMetadata, path: string, { stacktrace }: JsonObject): void {
  addPresent(metadata, path, listFrames(stacktrace).at(-1)?.vars);
}

function addTemplate(metadata: FittedMetadata, { message, params }: JsonObject, text: string): void {
  if (message !== text) addPresent(metadata, 'logentry.message', message);
  addPresent(metadata, 'logentry.params', params);
}

function describeFrame(frame: JsonObject): string {
  const [name, file, module, line, column] = [
    frame.function,
    frame.filename ?? frame.abs_path,
    frame.module,
    frame.lineno,
    frame.colno,
  ].map(describeValue);
  const place = [file || module, line, column].filter(Boolean).join(':');
  const called = name || '?';
  return place === '' ? `    at ${called}` : `    at ${called} (${place})`;
}

/** Reads an object or a list of pairs. */
function readTags(tags: unknown): unknown {
  if (!Array.isArray(tags)) return tags;
  const pairs = tags.filter((tag): tag is [unknown, unknown] => Array.isArray(tag) && tag.length === 2);
  return Object.fromEntries(pairs.map(([name, value]) => [describeValue(name), value]));
}

function addBreadcrumbs(metadata: FittedMetadata, breadcrumbs: unknown): void {
  const last = listValues(breadcrumbs).slice(-breadcrumbsMax);
  if (last.length > 0) addPresent(metadata, 'breadcrumbs', last);
}

/** Programs have hundreds of modules: joined into one text, they leave room for the rest. */
function joinModules(modules: JsonObject): string {
  return Object.entries(modules)
    .map(([name, version]) => `${name} ${describeValue(version)}`)
    .join(', ');
}
