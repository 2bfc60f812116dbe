/** Datadog's intake: an object or a list of them as JSON, or lines of text. */
import { isObject, type JsonObject } from '@tapedeck/json-values';
import { type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import { readLevelNumber } from './levelNumbers.ts';
import { Fields, ProtocolFailure, type SentEntry, type Wording } from './sentEntry.ts';
import { describeValue, listJsonValues, listLines, parseObject } from './texts.ts';
import { readAnyTime } from './times.ts';

/** What the address says of all entries. */
export type DatadogOptions = Wording & { defaults: Readonly<Record<string, string>>; isJson: boolean };

const timeNames = ['timestamp', 'date', '@timestamp'];
const levelNames = ['status', 'level', 'severity'];

export function readDatadog(body: Buffer, options: DatadogOptions): SentEntry[] {
  if (!options.isJson) return Array.from(listLines(body), message => makeEntry({ message }, options));
  return listJsonValues(body).map((value, index) => {
    if (isObject(value)) return makeEntry(value, options);
    throw new ProtocolFailure('bad_request', `Entry ${index}: must be an object.`, { index });
  });
}

function makeEntry(sent: JsonObject, options: DatadogOptions): SentEntry {
  const fields = new Fields(Object.entries({ ...options.defaults, ...sent }));
  const message = describeValue(fields.take('message'));
  const timeName = timeNames.find(name => readAnyTime(fields.read(name)) !== null);
  const timestamp = timeName === undefined ? null : readAnyTime(fields.take(timeName));
  return {
    dataset: null,
    level: takeLevel(fields, options) ?? readInnerLevel(message, options) ?? 'info',
    message,
    resource: fields.takeText(['service']) ?? '',
    ...(timestamp !== null && { timestamp }),
    metadata: fields.toMetadata(),
  };
}

const statusWords: ReadonlyMap<string, LogLevel> = new Map([['ok', 'info']]);

function takeLevel(fields: Fields, wording: Wording): LogLevel | null {
  const level =
    fields.takeLevel(levelNames, wording) ?? fields.takeLevel(['status'], { levels: statusWords });
  if (level !== null) return level;
  const numbered = readLevelNumber(fields.read('status'));
  if (numbered !== null) fields.take('status');
  return numbered;
}

/** Of a message that is JSON itself, as loggers write it. */
function readInnerLevel(message: string, { levels }: Wording): LogLevel | null {
  const inner = message.startsWith('{') ? parseObject(message) : null;
  if (inner === null) return null;
  for (const name of levelNames) {
    const level = readLevelSynonym(levels, inner[name]) ?? readLevelNumber(inner[name]);
    if (level !== null) return level;
  }
  return null;
}
