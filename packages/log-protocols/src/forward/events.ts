/** Turns events of Fluentd's forward protocol into entries: single events, lists, or packed bytes. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { type LineNames, makeObjectEntries, usualLineNames } from '../lines/reader.ts';
import { printJson } from '../reading/bodySplitting.ts';
import { aheadMsMax, fitEntry } from '../reading/entryLimiting.ts';
import { ProtocolFailure, requireCount, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readAnyTime } from '../reading/times.ts';
import { EventTime, ValueReader } from './msgpack.ts';

/** The form of a message's events. `packed`: consecutive pairs; `list`: a list of pairs; `single`: time and record. */
export type EventForm = 'packed' | 'list' | 'single';

export type ForwardOptions = { tag: string; form: EventForm };

type SentEvent = [time: unknown, record: unknown, about?: unknown];

const names: LineNames = { ...usualLineNames, time: [] };

export function readEvents(body: Buffer, { tag, form }: ForwardOptions, wording: Wording): SentEntry[] {
  const reader = new ValueReader(body);
  const pairs: SentEvent[] = [];
  const add = (...event: SentEvent) => requireCount(pairs.push(event));
  if (form === 'single') add(reader.read(), reader.read());
  else {
    const count = form === 'list' ? reader.readListHead() : Number.POSITIVE_INFINITY;
    if (count === null) throw refuse();
    for (let index = 0; index < count && !(form === 'packed' && reader.isAtEnd); index++) {
      const pair = reader.read();
      if (!Array.isArray(pair) || pair.length < 2) throw refuse();
      // In version 2 of Fluentd's format, a list holds the event's time and metadata.
      if (Array.isArray(pair[0])) add(pair[0][0], pair[1], pair[0][1]);
      else add(pair[0], pair[1]);
    }
  }
  const records = pairs.map(([, record]) => describe(record));
  const entries = makeObjectEntries(records, { ...wording, names });
  const latest = Date.now() + aheadMsMax;
  return entries.map((entry, index) => {
    const [sent, , about] = pairs[index] ?? [];
    const time = readTime(sent);
    const isUsable = time === undefined ? isNoTime(sent) : time <= latest;
    const metadata: Record<string, unknown> = { ...entry.metadata };
    if (tag !== '' && !Object.hasOwn(metadata, 'tag')) metadata.tag = tag;
    if (isObject(about) && Object.keys(about).length > 0) addApart(metadata, showTimes(about));
    if (!isUsable && !Object.hasOwn(metadata, 'timestamp')) metadata.timestamp = showTimes(sent);
    return {
      ...entry,
      timestamp: isUsable ? time : undefined,
      ...fitEntry({
        message: entry.message || printJson(records[index] ?? {}),
        resource: entry.resource || tag,
        metadata,
      }),
    };
  });
}

/** Adds an event's metadata, which for example holds its trace, under a name that the record does not use. */
function addApart(metadata: Record<string, unknown>, about: unknown): void {
  const name = ['fluent', 'fluent_metadata'].find(free => !Object.hasOwn(metadata, free));
  if (name !== undefined) metadata[name] = about;
}

/** Wraps a record that is not an object as a text. */
function describe(record: unknown): JsonObject {
  const shown = showTimes(record);
  return isObject(shown) ? shown : { message: shown };
}

/** Replaces Fluentd's times with texts at any depth. The reader has limited the depth. */
function showTimes(value: unknown): unknown {
  if (value instanceof EventTime) return new Date(value.millis).toISOString();
  if (Array.isArray(value)) return value.map(showTimes);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, showTimes(inner)]));
}

/** Senders leave out the time or send zero to let the service set it. */
function isNoTime(value: unknown): boolean {
  return value === undefined || value === null || value === 0;
}

/** Returns undefined to use the time of receipt. */
function readTime(value: unknown): number | undefined {
  if (value instanceof EventTime) return value.millis;
  return (value === 0 ? null : readAnyTime(value)) ?? undefined;
}

function refuse(): ProtocolFailure {
  return new ProtocolFailure('bad_request', 'Each event must be a list of a time and a record.');
}
