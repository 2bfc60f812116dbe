/** Logs as programs write them: objects of JSON on a line each or in a list, and plain lines. */
import { isObject, type JsonObject } from '@tapedeck/json-values';
import { parseBody, readJsonText } from '@tapedeck/log-entries';
import { readLevelNumber } from './levelNumbers.ts';
import { Fields, ProtocolFailure, requireCount, type SentEntry, type Wording } from './sentEntry.ts';
import { describeValue, listLines, parseObject } from './texts.ts';
import { readAnyTime } from './times.ts';

/** Under which names the parts of an entry are looked for, in this order. */
export type LineNames = {
  message: readonly string[];
  level: readonly string[];
  time: readonly string[];
  resource: readonly string[];
};

/** As the usual loggers write them. */
export const usualLineNames: LineNames = {
  message: ['message', 'msg', 'log', 'text', 'body', 'event'],
  level: ['level', 'severity', 'levelname', 'lvl', 'log.level'],
  time: ['timestamp', 'time', '@timestamp', 'ts', 'date', 'datetime'],
  resource: ['resource', 'service', 'logger', 'name', 'app', 'service.name'],
};

export type LineOptions = Wording & { names: LineNames };

export function readLines(body: Buffer, options: LineOptions): SentEntry[] {
  const list = readList(body);
  if (list !== null) return list.map((value, index) => readValue(value, index, options));
  return Array.from(listLines(body), (line, index) => readLine(line, index, options));
}

/** null when the body is no list. */
function readList(body: Buffer): unknown[] | null {
  if (!/^\s*\[\s*[{"\]]/.test(readJsonText(body.subarray(0, 64).subarray(0, findAscii(body))))) return null;
  const list = parseBody(body) as unknown[]; // it begins as one
  requireCount(list.length);
  return list;
}

/** How many of the first bytes are ASCII: a character must not be cut through. */
function findAscii(body: Buffer): number {
  const other = body.subarray(0, 64).findIndex(byte => byte > 127);
  return other === -1 ? Math.min(64, body.length) : other;
}

function readLine(line: string, index: number, options: LineOptions): SentEntry {
  if (!line.trimStart().startsWith('{'))
    return makeEntry({ [options.names.message[0] ?? 'message']: line }, options);
  const value = parseObject(line);
  if (value !== null) return makeEntry(value, options);
  throw new ProtocolFailure('bad_request', `Line ${index}: begins like a JSON object, and is none.`, {
    index,
  });
}

function readValue(value: unknown, index: number, options: LineOptions): SentEntry {
  if (isObject(value)) return makeEntry(value, options);
  if (typeof value === 'string')
    return makeEntry({ [options.names.message[0] ?? 'message']: value }, options);
  throw new ProtocolFailure('bad_request', `Entry ${index}: must be an object or a string.`, { index });
}

function makeEntry(sent: JsonObject, options: LineOptions): SentEntry {
  const { names } = options;
  const fields = new Fields(Object.entries(sent));
  const messageName = names.message.find(
    name => fields.read(name) !== undefined && !isObject(fields.read(name)),
  );
  const message = messageName === undefined ? '' : describeValue(fields.take(messageName));
  const timeName = names.time.find(name => readAnyTime(fields.read(name)) !== null);
  const timestamp = timeName === undefined ? null : readAnyTime(fields.take(timeName));
  return {
    dataset: null,
    level: takeLevel(fields, options) ?? 'info',
    message,
    resource: fields.takeText(names.resource) ?? '',
    ...(timestamp !== null && { timestamp }),
    metadata: fields.toMetadata(),
  };
}

function takeLevel(fields: Fields, options: LineOptions) {
  const { level: names } = options.names;
  const level = fields.takeLevel(names, options);
  if (level !== null) return level;
  const name = names.find(each => readLevelNumber(fields.read(each)) !== null);
  return name === undefined ? null : readLevelNumber(fields.take(name));
}
