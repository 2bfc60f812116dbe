/** Defines GELF over HTTP, the format of Graylog's clients: one message object or several, one after another. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import {
  answerJson,
  defineEntryRoute,
  type Protocol,
  textType,
  unpacksLittle,
  writeNothing,
} from '../protocol.ts';
import { describeValue, listJsonValues } from '../reading/bodySplitting.ts';
import { Fields } from '../reading/fields.ts';
import { readLevelNumber } from '../reading/levelNumbers.ts';
import { ProtocolFailure, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readAnyTime } from '../reading/times.ts';

const envelope: ReadonlySet<string> = new Set(['version', 'short_message', 'full_message', 'message']);
const resourceNames = ['resource', 'service', 'app'];
const levelNames = ['level', 'severity'];
const versions: ReadonlySet<unknown> = new Set([undefined, '1.0', '1.1']);

export const gelf: Protocol = {
  name: 'gelf',
  entryRoutes: [
    defineEntryRoute({
      id: 'gelf',
      path: '/gelf',
      summary: 'Messages in GELF.',
      bodyEncoding: () => 'detected', // like Graylog; most clients declare nothing
      usesDatasetOfToken: true,
      readOptions: () => ({}),
      answer: () => ({ status: 202, type: textType, body: '' }),
    }),
  ],
  questionRoutes: [],
  unpacksLarge: unpacksLittle,
  read: (body, _options, rules) => ({ entries: readGelf(body, rules), refusals: null }),
  write: writeNothing,
  refuse: ({ status, code, sentence, index, field }) =>
    answerJson(status, { error: sentence, code, field, index }),
};

export function readGelf(body: Buffer, wording: Wording): SentEntry[] {
  const values = listJsonValues(body.includes(0) ? blankEnds(body) : body);
  if (values.length === 0) throw refuse(0, 'is missing: send an object with a short_message', undefined);
  const fields = new Fields(['timestamp', ...levelNames, ...resourceNames]);
  return values.map((value, index) => {
    if (!isObject(value)) throw refuse(index, 'must be an object', undefined);
    return makeEntry(value, index, { fields, wording });
  });
}

/** Replaces NUL, by which Graylog's clients for TCP end a message. JSON never contains it, so no text can change. */
function blankEnds(body: Buffer): Buffer {
  return body.map(byte => (byte === 0 ? lineFeed : byte)) as Buffer; // `map` keeps the class
}

const lineFeed = 10;

type Reading = { fields: Fields; wording: Wording };

function makeEntry(sent: JsonObject, index: number, { fields, wording }: Reading): SentEntry {
  fields.begin();
  for (const name in sent) if (!envelope.has(name)) fields.add(stripSign(name), 'gelf.', sent[name]);
  if (!versions.has(sent.version)) fields.add('version', 'gelf.', sent.version);
  const host = typeof sent.host === 'string' ? sent.host : '';
  return {
    dataset: null,
    message: readMessage(sent, index),
    timestamp: fields.takeAs(['timestamp'], readAnyTime) ?? undefined,
    level: fields.takeAs(levelNames, readLevelNumber) ?? fields.takeLevel(levelNames, wording) ?? 'info',
    // Uses GELF's host as the resource if nothing else names it. The host also stays in the metadata.
    resource: fields.takeText(resourceNames) ?? host,
    metadata: fields.toMetadata(),
  };
}

/** GELF prefixes custom fields with an underscore. */
function stripSign(name: string): string {
  return name.startsWith('_') && name.length > 1 ? name.slice(1) : name;
}

/** Most clients repeat the short message at the start of the full one. */
function readMessage({ short_message, full_message, message }: JsonObject, index: number): string {
  const short = describeValue(short_message) || describeValue(message);
  const full = trimLines(describeValue(full_message));
  // Handlers of Python's logging send an empty message as it is, and never read a refusal.
  const isNamed = typeof short_message === 'string' || typeof message === 'string';
  if (short === '' && full === '' && !isNamed)
    throw refuse(index, 'must have a short_message', 'short_message');
  return full.startsWith(short) ? full || short : `${short}${full && `\n${full}`}`;
}

/** Layouts of Java end each message with a line break. */
function trimLines(text: string): string {
  return text.endsWith('\n') ? text.trimEnd() : text;
}

function refuse(index: number, sentence: string, field: string | undefined): ProtocolFailure {
  return new ProtocolFailure('bad_request', `Message ${index} ${sentence}.`, { index, field });
}
