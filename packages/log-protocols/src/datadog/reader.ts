/** Reads Datadog's intake: one JSON object, a list of them, or lines of text. */

import { type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue, listJsonValues, listLines, parseObject } from '../reading/bodySplitting.ts';
import { Fields } from '../reading/fields.ts';
import { readLevelNumber } from '../reading/levelNumbers.ts';
import { ProtocolFailure, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readAnyTime } from '../reading/times.ts';

/** `defaults` come from the address and apply to all entries. */
export type DatadogOptions = Wording & { defaults: Readonly<Record<string, string>>; isJson: boolean };

const timeNames = ['timestamp', 'date', '@timestamp'];
const levelNames = ['status', 'level', 'severity', 'level_name'];
export const datadogNames = {
  all: ['message', 'service', ...timeNames, ...levelNames],
  time: timeNames,
  level: levelNames,
};

export function readDatadog(body: Buffer, options: DatadogOptions): SentEntry[] {
  const fields = new Fields(datadogNames.all);
  const defaults = Object.entries(options.defaults);
  const read = (sent: JsonObject) => {
    fields.begin();
    for (const [name, value] of defaults) fields.set(name, value);
    fields.setAll(sent);
    return takeEntry(fields, options);
  };
  if (!options.isJson) return Array.from(listLines(body), message => read({ message }));
  return listJsonValues(body).flatMap((value, index) => {
    if (isObject(value)) return isEmpty(value) ? [] : [read(value)];
    throw new ProtocolFailure('bad_request', `Entry ${index}: must be an object.`, { index });
  });
}

/** Agents send an empty object to check the connection. */
function isEmpty(value: JsonObject): boolean {
  for (const _ in value) return false;
  return true;
}

function takeEntry(fields: Fields, options: DatadogOptions): SentEntry {
  const message = describeValue(fields.take('message'));
  return {
    dataset: null,
    level: takeLevel(fields, options) ?? readInnerLevel(message, options) ?? 'info',
    message,
    resource: fields.takeText(['service']) ?? '',
    timestamp: fields.takeAs(timeNames, readAnyTime) ?? undefined,
    metadata: fields.toMetadata(),
  };
}

export const statusWords: ReadonlyMap<string, LogLevel> = new Map([['ok', 'info']]);

function takeLevel(fields: Fields, wording: Wording): LogLevel | null {
  return (
    fields.takeLevel(levelNames, wording) ??
    fields.takeLevel(['status'], { levels: statusWords }) ??
    fields.takeAs(['status'], readLevelNumber)
  );
}

/** Reads the level of a message that is itself JSON, as some loggers write it. */
export function readInnerLevel(message: string, { levels }: Wording): LogLevel | null {
  const inner = message.startsWith('{') ? parseObject(message) : null;
  if (inner === null) return null;
  for (const name of levelNames) {
    const level = readLevelSynonym(levels, inner[name]) ?? readLevelNumber(inner[name]);
    if (level !== null) return level;
  }
  return null;
}
