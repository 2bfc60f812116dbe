/** Reads OpenTelemetry's requests for logs in two encodings and answers in the same encoding. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { requireCount, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readOtlpJson } from './otlpJson.ts';
import { readOtlpProtobuf } from './otlpProtobuf.ts';
import { listEntries } from './record.ts';

export type OtlpEncoding = 'protobuf' | 'json';

export function readOtlp(body: Buffer, encoding: OtlpEncoding, wording: Wording): SentEntry[] {
  const groups = encoding === 'protobuf' ? readOtlpProtobuf(body) : readOtlpJson(body);
  requireCount(groups.reduce((total, { records }) => total + records.length, 0));
  return listEntries(groups, wording);
}

/** The number of refused entries and the reason; null: none. */
export type OtlpRefusal = { count: number; sentence: string } | null;

export function writeOtlpResponse(encoding: OtlpEncoding, refusal: OtlpRefusal): Buffer {
  if (encoding === 'json') {
    const partialSuccess = refusal && {
      rejectedLogRecords: String(refusal.count),
      errorMessage: refusal.sentence,
    };
    return Buffer.from(JSON.stringify(refusal ? { partialSuccess } : {}));
  }
  const writer = new BinaryWriter();
  if (refusal !== null) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Varint).int64(refusal.count);
    writer.tag(2, WireType.LengthDelimited).string(refusal.sentence).join();
  }
  return Buffer.from(writer.finish());
}

/** Writes a gRPC `Status`, which clients expect for errors. */
export function writeOtlpError(encoding: OtlpEncoding, status: { code: number; message: string }): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify(status));
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(status.code);
  writer.tag(2, WireType.LengthDelimited).string(status.message);
  return Buffer.from(writer.finish());
}
