/** Reads MessagePack: finds where values end in a stream and decodes them. Numbers that JavaScript cannot hold exactly become texts. */
import { isUtf8 } from 'node:buffer';
import { setOwn } from '../reading/fields.ts';
import { ProtocolFailure } from '../reading/sentEntry.ts';

/** Fluentd's or MessagePack's time with nanoseconds, as Unix milliseconds. */
export class EventTime {
  readonly millis: number;

  constructor(seconds: number, nanos: number) {
    this.millis = seconds * 1000 + Math.floor(nanos / 1000) / 1000;
  }
}

type Kind = 'nothing' | 'text' | 'bytes' | 'list' | 'map' | 'extension';
/** The head of a value. `size` counts the bytes, items or pairs that follow. */
type Head = { kind: Kind; headBytes: number; size: number };

const lengths: Readonly<Record<number, readonly [kind: Kind, lengthBytes: number]>> = {
  196: ['bytes', 1],
  197: ['bytes', 2],
  198: ['bytes', 4],
  199: ['extension', 1],
  200: ['extension', 2],
  201: ['extension', 4],
  217: ['text', 1],
  218: ['text', 2],
  219: ['text', 4],
  220: ['list', 2],
  221: ['list', 4],
  222: ['map', 2],
  223: ['map', 4],
};
/** The bytes of a number after its type byte. */
const numberBytes: Readonly<Record<number, number>> = {
  202: 4,
  203: 8,
  204: 1,
  205: 2,
  206: 4,
  207: 8,
  208: 1,
  209: 2,
  210: 4,
  211: 8,
};
const fixedExtensionFirst = 0xd4;
const fixedExtensionLast = 0xd8;
const unused = 0xc1;

const smallNumber: Head = { kind: 'nothing', headBytes: 1, size: 0 }; // shared, because a message may hold ten million

/** Returns null if the head is incomplete. */
export function readHead(bytes: Buffer, at: number): Head | null {
  const first = bytes[at];
  if (first === undefined) return null;
  if (first < 0x80 || first >= 0xe0) return smallNumber;
  if (first < 0x90) return { kind: 'map', headBytes: 1, size: first & 0x0f };
  if (first < 0xa0) return { kind: 'list', headBytes: 1, size: first & 0x0f };
  if (first < 0xc0) return { kind: 'text', headBytes: 1, size: first & 0x1f };
  if (first === unused) throw refuse();
  if (first >= fixedExtensionFirst && first <= fixedExtensionLast)
    return { kind: 'extension', headBytes: 2, size: 1 << (first - fixedExtensionFirst) };
  const known = lengths[first];
  if (known === undefined) return { kind: 'nothing', headBytes: 1 + (numberBytes[first] ?? 0), size: 0 };
  const [kind, lengthBytes] = known;
  if (at + 1 + lengthBytes > bytes.length) return null;
  const size = bytes.readUIntBE(at + 1, lengthBytes);
  return { kind, headBytes: 1 + lengthBytes + (kind === 'extension' ? 1 : 0), size };
}

const depthMax = 100; // entries may hold a fifth of that
const itemsMax = 4; // a message has no more; callers do not ask for the items of longer lists

/** Finds the end of a value as its bytes arrive, without scanning any byte twice. */
export class ValueScanner {
  #at = 0;
  #left = 1;
  #wanted = 1;
  #items: number | null = null;
  readonly #itemEnds: number[] = [];

  /** The ends of the first items, if the value is a list. */
  get itemEnds(): readonly number[] {
    return this.#itemEnds;
  }

  /** Returns the end of the value, or null while it is incomplete. `bytes` holds everything received so far. */
  findEnd(bytes: Buffer): number | null {
    while (this.#left > 0) {
      const head = readHead(bytes, this.#at);
      this.#wanted = bytes.length + 1;
      if (head === null) return null;
      const { kind, headBytes, size } = head;
      const isContainer = kind === 'list' || kind === 'map';
      const end = this.#at + headBytes + (isContainer ? 0 : size);
      this.#wanted = end;
      if (end > bytes.length) return null;
      this.#at = end;
      this.#left += (kind === 'map' ? 2 * size : kind === 'list' ? size : 0) - 1;
      if (this.#items === null) this.#items = kind === 'list' ? size : 0;
      else if (this.#itemEnds.length < itemsMax && this.#left === this.#items - this.#itemEnds.length - 1)
        this.#itemEnds.push(end);
    }
    return this.#at;
  }

  /** The scanner finds nothing new until this many bytes have arrived. */
  get wantedBytes(): number {
    return this.#wanted;
  }
}

/** Reads consecutive values. Throws `ProtocolFailure` for invalid bytes. */
export class ValueReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  get position(): number {
    return this.#at;
  }

  skipTo(position: number): void {
    this.#at = position;
  }

  read(depth = 0): unknown {
    if (depth > depthMax) return this.#passOver();
    const start = this.#at;
    const head = readHead(this.#bytes, start);
    if (head === null || start + head.headBytes > this.#bytes.length) throw refuse();
    this.#at = start + head.headBytes;
    const { kind, size } = head;
    if (kind === 'nothing') return this.#readScalar(start);
    // Each item takes at least one byte.
    if (this.#at + size > this.#bytes.length) throw refuse();
    if (kind === 'list') return Array.from({ length: size }, () => this.read(depth + 1));
    if (kind === 'map') return this.#readMap(size, depth);
    const content = this.#bytes.subarray(this.#at, this.#at + size);
    this.#at += size;
    if (kind === 'extension')
      return this.#readExtension(this.#bytes[start + head.headBytes - 1] ?? 0, content);
    if (kind === 'bytes' && !isUtf8(content)) return content.toString('base64');
    return content.toString('utf8');
  }

  /** Reads the head of a list, so that the caller can read its items one by one. Returns null for any other value. */
  readListHead(): number | null {
    const head = readHead(this.#bytes, this.#at);
    if (head?.kind !== 'list') return null;
    this.#at += head.headBytes;
    return head.size;
  }

  /** Reads the bytes of a text or binary value. Returns null for any other value. */
  readBytes(): Buffer | null {
    const head = readHead(this.#bytes, this.#at);
    if (head === null || (head.kind !== 'bytes' && head.kind !== 'text')) return null;
    const start = this.#at + head.headBytes;
    if (start + head.size > this.#bytes.length) throw refuse();
    this.#at = start + head.size;
    return this.#bytes.subarray(start, this.#at);
  }

  /** Skips values that are nested too deep: a sender would repeat a refused message forever. */
  #passOver(): string {
    const end = new ValueScanner().findEnd(this.#bytes.subarray(this.#at));
    if (end === null) throw refuse();
    this.#at += end;
    return '…';
  }

  #readMap(size: number, depth: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    for (let pair = 0; pair < size; pair++) {
      const key = this.read(depth + 1);
      setOwn(
        map,
        typeof key === 'object' && key !== null ? JSON.stringify(key) : String(key),
        this.read(depth + 1),
      );
    }
    return map;
  }

  #readScalar(at: number): unknown {
    const bytes = this.#bytes;
    const first = bytes[at] ?? 0;
    if (first < 0x80) return first;
    if (first >= 0xe0) return first - 0x100;
    switch (first) {
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return bytes.readFloatBE(at + 1);
      case 0xcb:
        return bytes.readDoubleBE(at + 1);
      case 0xcf:
        return toNumber(bytes.readBigUInt64BE(at + 1));
      case 0xd3:
        return toNumber(bytes.readBigInt64BE(at + 1));
    }
    const length = numberBytes[first];
    if (length === undefined) return null;
    return first < 0xd0 ? bytes.readUIntBE(at + 1, length) : bytes.readIntBE(at + 1, length);
  }

  #readExtension(type: number, content: Buffer): unknown {
    if (type === 0 && content.length === 8)
      return new EventTime(content.readUInt32BE(0), content.readUInt32BE(4));
    return (type === timestampType ? readTimestamp(content) : null) ?? content.toString('base64');
  }
}

const timestampType = 0xff; // -1
const nanosecondsMax = 999_999_999;
const dateSecondsMax = 8.64e12; // of JavaScript's dates

/** Reads MessagePack's own timestamps, in their three lengths. Returns null for others, and for times that no date can hold. */
function readTimestamp(content: Buffer): EventTime | null {
  const time = splitTimestamp(content);
  if (time === null || time.nanos > nanosecondsMax || Math.abs(time.seconds) >= dateSecondsMax) return null;
  return new EventTime(time.seconds, time.nanos);
}

function splitTimestamp(content: Buffer): { seconds: number; nanos: number } | null {
  if (content.length === 4) return { seconds: content.readUInt32BE(0), nanos: 0 };
  if (content.length === 12)
    return { seconds: Number(content.readBigInt64BE(4)), nanos: content.readUInt32BE(0) };
  if (content.length !== 8) return null;
  const both = content.readBigUInt64BE(0); // 30 bits of nanoseconds, then 34 bits of seconds
  return { seconds: Number(both & 0x3ffffffffn), nanos: Number(both >> 34n) };
}

function toNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function refuse(): ProtocolFailure {
  return new ProtocolFailure('bad_request', 'The message is not valid MessagePack.');
}

/** Writes the few kinds of values that answers contain. */
export function writeValue(value: string | boolean | Buffer | readonly unknown[] | object): Buffer {
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === 'string') return writeSized(0xd9, 0xda, Buffer.from(value));
  if (Buffer.isBuffer(value)) return writeSized(0xc4, 0xc5, value);
  const isList = Array.isArray(value);
  const items = isList ? value : Object.entries(value).flat();
  const count = isList ? items.length : items.length / 2;
  // Answers have fewer than sixteen items.
  return Buffer.concat([Buffer.from([(isList ? 0x90 : 0x80) | count]), ...items.map(writeValue)]);
}

function writeSized(brief: number, long: number, bytes: Buffer): Buffer {
  if (bytes.length < 0x100) return Buffer.concat([Buffer.from([brief, bytes.length]), bytes]);
  const head = Buffer.from([long, 0, 0]);
  head.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
