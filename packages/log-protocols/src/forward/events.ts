/** Events of Fluentd's forward protocol as entries: one alone, a list, or packed bytes. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { type LineNames, makeObjectEntries, usualLineNames } from '../lines/reader.ts';
import { ProtocolFailure, requireCount, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { printJson } from '../reading/texts.ts';
import { readAnyTime } from '../reading/times.ts';
import { EventTime, ValueReader } from './msgpack.ts';

/** How the events of a message stand in its bytes. `packed`: pairs one behind the other; `list`: a list of pairs; `single`: time and record. */
export type EventForm = 'packed' | 'list' | 'single';

export type ForwardOptions = { tag: string; form: EventForm };

const names: LineNames = { ...usualLineNames, time: [] };

export function readEvents(body: Buffer, { tag, form }: ForwardOptions, wording: Wording): SentEntry[] {
  const reader = new ValueReader(body);
  const pairs: [time: unknown, record: unknown][] = [];
  const add = (time: unknown, record: unknown) => requireCount(pairs.push([time, record]));
  if (form === 'single') add(reader.read(), reader.read());
  else {
    const count = form === 'list' ? reader.readListHead() : Number.POSITIVE_INFINITY;
    if (count === null) throw refuse();
    for (let index = 0; index < count && !(form === 'packed' && reader.isAtEnd); index++) {
      const pair = reader.read();
      if (!Array.isArray(pair) || pair.length < 2) throw refuse();
      // Fluentd's second version of the format has the time and metadata of the event in a list.
      add(Array.isArray(pair[0]) ? pair[0][0] : pair[0], pair[1]);
    }
  }
  const records = pairs.map(([, record]) => describe(record));
  const entries = makeObjectEntries(records, { ...wording, names });
  return entries.map((entry, index) => ({
    ...entry,
    message: entry.message || printJson(records[index] ?? {}),
    timestamp: readTime(pairs[index]?.[0]),
    resource: entry.resource || tag,
    metadata:
      tag === '' || Object.hasOwn(entry.metadata, 'tag') ? entry.metadata : { ...entry.metadata, tag },
  }));
}

/** Records are objects; anything else is a text. */
function describe(record: unknown): JsonObject {
  return isObject(record) && !(record instanceof EventTime) ? replaceTimes(record) : { message: record };
}

function replaceTimes(record: JsonObject): JsonObject {
  const entries = Object.entries(record).map(
    ([name, value]) =>
      [name, value instanceof EventTime ? new Date(value.millis).toISOString() : value] as const,
  );
  return Object.fromEntries(entries);
}

/** undefined: the time of receipt. */
function readTime(value: unknown): number | undefined {
  if (value instanceof EventTime) return value.millis;
  return (value === 0 ? null : readAnyTime(value)) ?? undefined;
}

function refuse(): ProtocolFailure {
  return new ProtocolFailure('bad_request', 'Each event must be a list of a time and a record.');
}
