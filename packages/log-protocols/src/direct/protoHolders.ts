/** Messages of OpenTelemetry that say something of several items: a resource of its scopes, a scope of its records. */
import type { Slice } from '@tapedeck/log-entries';
import type { Reading } from '@tapedeck/log-entries/direct';
import { tagOf, WireType } from '../protobuf.ts';
import { passField, readSpan, readVarint } from './protoFields.ts';

const { LengthDelimited } = WireType;
const first = tagOf(1, LengthDelimited);
const second = tagOf(2, LengthDelimited);
const third = tagOf(3, LengthDelimited);

/** A resource, or a scope, with the address of its schema: what is said of all items beside them. */
export type Holder = { own: Slice; schemaUrl: Slice };

/** Finds out what stands beside the items, wherever that is; reads the items then. */
export function readHolder(
  reading: Reading,
  end: number,
  readItems: (holder: Holder, eachItem: EachItem) => boolean,
): boolean {
  const { bytes, at: start } = reading;
  const holder: Holder = { own: { bytes, start, end: start }, schemaUrl: { bytes, start, end: start } };
  let seen = 0;
  while (reading.at < end) {
    const tag = readVarint(reading, end);
    if (tag === second) {
      if (!passField(reading, end, LengthDelimited)) return false;
      continue;
    }
    if ((tag !== first && tag !== third) || (seen & tag) === tag) return false;
    seen |= tag;
    const fieldEnd = readSpan(reading, end);
    if (fieldEnd < 0) return false;
    Object.assign(tag === first ? holder.own : holder.schemaUrl, { start: reading.at, end: fieldEnd });
    reading.at = fieldEnd;
  }
  reading.at = start;
  return readItems(holder, readItem => {
    while (reading.at < end) {
      const isItem = readVarint(reading, end) === second;
      const itemEnd = readSpan(reading, end);
      if (isItem && !readItem(itemEnd)) return false;
      reading.at = itemEnd;
    }
    return true;
  });
}

type EachItem = (readItem: (end: number) => boolean) => boolean;
