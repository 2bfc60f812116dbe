/** Loki's pushes in their binary form, made of what they are as JSON. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export type StreamJson = {
  stream: Readonly<Record<string, string>>;
  values: readonly (readonly [time: string, line: string, metadata?: Readonly<Record<string, string>>])[];
};

const { LengthDelimited, Varint } = WireType;
const nanosOfSecond = 9;

export function writeLokiPush(streams: readonly StreamJson[]): Buffer {
  const writer = new BinaryWriter();
  for (const { stream, values } of streams) {
    const labels = Object.entries(stream).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    writer.tag(1, LengthDelimited).fork();
    writer.tag(1, LengthDelimited).string(`{${labels.join(', ')}}`);
    for (const [time, line, metadata = {}] of values) {
      writer.tag(2, LengthDelimited).fork().tag(1, LengthDelimited).fork();
      const [seconds, nanos] = [time.slice(0, -nanosOfSecond), time.slice(-nanosOfSecond)].map(Number);
      if (seconds) writer.tag(1, Varint).int64(seconds);
      if (nanos) writer.tag(2, Varint).int32(nanos);
      writer.join().tag(2, LengthDelimited).string(line);
      for (const [name, value] of Object.entries(metadata)) {
        writer.tag(3, LengthDelimited).fork().tag(1, LengthDelimited).string(name);
        writer.tag(2, LengthDelimited).string(value).join();
      }
      writer.join();
    }
    writer.tag(3, Varint).uint64(7).join();
  }
  return Buffer.from(writer.finish());
}
