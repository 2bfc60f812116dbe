/** Reads messages of Protocol Buffers field by field, into what their reader makes of them. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ProtocolFailure } from './sentEntry.ts';

export { WireType } from '@bufbuild/protobuf/wire';
export type Reader = BinaryReader;

/** By the number of the field; of others nothing is known, and they are passed over. */
export type FieldReaders<Message> = Readonly<
  Record<number, { wire: WireType; read(message: Message, reader: Reader): void }>
>;

/** Throws where the bytes are no such message. */
export function readRoot<Message>(
  bytes: Uint8Array,
  message: Message,
  fields: FieldReaders<Message>,
): Message {
  const reader = new BinaryReader(bytes, decodeText);
  try {
    return readUntil({ reader, end: bytes.length }, message, fields);
  } catch (error) {
    if (error instanceof ProtocolFailure) throw error;
    throw new ProtocolFailure(
      'bad_request',
      'The body must be a message of Protocol Buffers, whole and well-formed.',
      {
        cause: error,
      },
    );
  }
}

/** The message that stands here, behind its length. */
export function readInner<Message>(reader: Reader, message: Message, fields: FieldReaders<Message>): Message {
  const length = reader.uint32();
  return readUntil({ reader, end: reader.pos + length }, message, fields);
}

type Span = { reader: Reader; end: number };

function readUntil<Message>({ reader, end }: Span, message: Message, fields: FieldReaders<Message>): Message {
  if (end > reader.len) throw new RangeError('A message ends beyond its bytes.');
  while (reader.pos < end) {
    const [number, wire] = reader.tag();
    const field = fields[number];
    if (field?.wire === wire) field.read(message, reader);
    else reader.skip(wire, number);
  }
  if (reader.pos !== end) throw new RangeError('A field ends beyond its message.');
  return message;
}

/** What is no UTF-8 is shown as such, instead of the whole request being lost. */
function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

export const lengthDelimited = WireType.LengthDelimited;
