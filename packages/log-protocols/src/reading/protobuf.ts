/** Reads Protocol Buffers messages field by field, into the object that the reader builds. */
import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import { ProtocolFailure } from './sentEntry.ts';
import { readUtf8 } from './utf8.ts';

export { WireType } from '@bufbuild/protobuf/wire';

export type Reader = BinaryReader & { readonly bytes: Buffer };

/** Maps tags, as `tagOf` makes them, to readers. Unknown fields are skipped. */
export type FieldReaders<Message> = Readonly<Record<number, (message: Message, reader: Reader) => void>>;

const wireBits = 3;
const wireMask = 7;

/** Returns a field's tag: its number and wire type. */
export function tagOf(field: number, wire: WireType): number {
  return (field << wireBits) | wire;
}

/** Throws if the bytes are not a valid message. */
export function readRoot<Message>(bytes: Buffer, message: Message, fields: FieldReaders<Message>): Message {
  const reader = Object.assign(new BinaryReader(bytes), { bytes });
  try {
    readUntil({ reader, end: bytes.length }, message, fields);
    return message;
  } catch (error) {
    if (error instanceof ProtocolFailure) throw error;
    throw new ProtocolFailure('bad_request', 'The body must be a valid Protocol Buffers message.', {
      cause: error,
    });
  }
}

/** Reads the length-prefixed message at this position. */
export function readInner<Message>(reader: Reader, message: Message, fields: FieldReaders<Message>): Message {
  readUntil({ reader, end: readEnd(reader) }, message, fields);
  return message;
}

type Span = { reader: Reader; end: number };

function readUntil<Message>({ reader, end }: Span, message: Message, fields: FieldReaders<Message>): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const read = fields[tag];
    if (read === undefined) skip(reader, tag);
    else read(message, reader);
  }
  requireEnd(reader, end);
}

/** Returns the end of the length-prefixed value at this position. */
export function readEnd(reader: Reader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('A message ends beyond its bytes.');
  return end;
}

export function requireEnd({ pos }: Reader, end: number): void {
  if (pos !== end) throw new RangeError('A field ends beyond its message.');
}

/** Skips an unknown field. */
export function skip(reader: Reader, tag: number): void {
  const field = tag >>> wireBits;
  if (field === 0) throw new RangeError('No field has the number 0.');
  reader.skip(tag & wireMask, field);
}

/** Replaces invalid UTF-8 instead of refusing the whole request. */
export function readText(reader: Reader): string {
  const end = readEnd(reader);
  const start = reader.pos;
  reader.pos = end;
  return readUtf8(reader.bytes, start, end);
}

export function readBytes(reader: Reader, encoding: 'hex' | 'base64'): string {
  const end = readEnd(reader);
  const start = reader.pos;
  reader.pos = end;
  return reader.bytes.toString(encoding, start, end);
}
