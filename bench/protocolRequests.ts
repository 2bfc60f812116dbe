/** Writes the entries of the log benchmarks, with their time, as requests of each supported protocol. */
import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { snappyCompressor } from 'hysnappy';
import { type BenchEntry, makeEntry } from './logEntries.ts';

type Timed = BenchEntry & { timestamp: number };

/** A route, and how to write its body. */
export type ProtocolForm = {
  title: string;
  path: string;
  type: string;
  encoding?: 'gzip';
  write(entries: readonly Timed[]): string | Uint8Array;
};

const requestsMade = 32;
const compress = snappyCompressor();
const lengthDelimited = WireType.LengthDelimited;
const severityNumbers: Readonly<Record<string, number>> = { debug: 5, info: 9, warn: 13, error: 17 };

/** Flattens nested fields with dotted names, for protocols with plain pairs. */
function listPairs({ metadata: { playerId, ping, pos } }: Timed): [name: string, value: string | number][] {
  return [
    ...([['playerId', playerId] as const, ['ping', ping] as const] as [string, string | number][]),
    ['pos.x', pos.x],
    ['pos.y', pos.y],
  ];
}

function groupBy(entries: readonly Timed[], nameOf: (entry: Timed) => string): Timed[][] {
  return [...Map.groupBy(entries, nameOf).values()];
}

const lokiStreams = (entries: readonly Timed[]) =>
  groupBy(entries, ({ resource, level }) => `${resource} ${level}`).map(those => ({
    labels: { app: those[0]!.resource, level: those[0]!.level },
    those,
  }));

function writeLokiJson(entries: readonly Timed[]): string {
  const streams = lokiStreams(entries).map(({ labels, those }) => ({
    stream: labels,
    values: those.map(entry => [
      `${entry.timestamp}000000`,
      entry.message,
      Object.fromEntries(listPairs(entry).map(([name, value]) => [name, String(value)])),
    ]),
  }));
  return JSON.stringify({ streams });
}

function writeLokiProtobuf(entries: readonly Timed[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const { labels, those } of lokiStreams(entries)) {
    writer.tag(1, lengthDelimited).fork();
    writer.tag(1, lengthDelimited).string(`{app="${labels.app}", level="${labels.level}"}`);
    for (const entry of those) {
      writer.tag(2, lengthDelimited).fork();
      writer.tag(1, lengthDelimited).fork();
      writer.tag(1, WireType.Varint).int64(Math.floor(entry.timestamp / 1000));
      writer
        .tag(2, WireType.Varint)
        .int32((entry.timestamp % 1000) * 1e6)
        .join();
      writer.tag(2, lengthDelimited).string(entry.message);
      for (const [name, value] of listPairs(entry)) {
        writer.tag(3, lengthDelimited).fork().tag(1, lengthDelimited).string(name);
        writer.tag(2, lengthDelimited).string(String(value)).join();
      }
      writer.join();
    }
    writer.join();
  }
  return compress(writer.finish());
}

const byResource = (entries: readonly Timed[]) => groupBy(entries, ({ resource }) => resource);

function writeOtlpJson(entries: readonly Timed[]): string {
  const resourceLogs = byResource(entries).map(those => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: those[0]!.resource } }] },
    scopeLogs: [
      {
        scope: { name: 'bench' },
        logRecords: those.map(entry => ({
          timeUnixNano: `${entry.timestamp}000000`,
          observedTimeUnixNano: `${entry.timestamp}000000`,
          severityNumber: severityNumbers[entry.level],
          severityText: entry.level.toUpperCase(),
          body: { stringValue: entry.message },
          attributes: listPairs(entry).map(([key, value]) => ({
            key,
            value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value },
          })),
        })),
      },
    ],
  }));
  return JSON.stringify({ resourceLogs });
}

function writeOtlpProtobuf(entries: readonly Timed[]): Uint8Array {
  const writer = new BinaryWriter();
  const pair = (field: number, name: string, value: string | number) => {
    writer.tag(field, lengthDelimited).fork().tag(1, lengthDelimited).string(name);
    writer.tag(2, lengthDelimited).fork();
    if (typeof value === 'string') writer.tag(1, lengthDelimited).string(value);
    else writer.tag(4, WireType.Bit64).double(value);
    writer.join().join();
  };
  for (const those of byResource(entries)) {
    writer.tag(1, lengthDelimited).fork().tag(1, lengthDelimited).fork();
    pair(1, 'service.name', those[0]!.resource);
    writer.join().tag(2, lengthDelimited).fork();
    writer.tag(1, lengthDelimited).fork().tag(1, lengthDelimited).string('bench').join();
    for (const entry of those) {
      const nanos = BigInt(entry.timestamp) * 1_000_000n;
      writer.tag(2, lengthDelimited).fork().tag(1, WireType.Bit64).fixed64(nanos);
      writer.tag(2, WireType.Varint).int32(severityNumbers[entry.level] ?? 0);
      writer.tag(3, lengthDelimited).string(entry.level.toUpperCase());
      writer.tag(5, lengthDelimited).fork().tag(1, lengthDelimited).string(entry.message).join();
      for (const [name, value] of listPairs(entry)) pair(6, name, value);
      writer.tag(11, WireType.Bit64).fixed64(nanos).join();
    }
    writer.join().join();
  }
  return writer.finish();
}

const onLines = (values: readonly unknown[]) => values.map(value => `${JSON.stringify(value)}\n`).join('');

/** Writes entries as programs print them. */
const writeText = (entries: readonly Timed[]) =>
  entries
    .map(entry => {
      const pairs = listPairs(entry).map(([name, value]) => `${name}=${value}`);
      return `${new Date(entry.timestamp).toISOString()} ${entry.level} ${entry.message} ${pairs.join(' ')}\n`;
    })
    .join('');

/** Writes an entry as most loggers do. */
const asDocument = ({ timestamp, level, message, resource, metadata }: Timed) => ({
  '@timestamp': new Date(timestamp).toISOString(),
  'log.level': level,
  message,
  'service.name': resource,
  ...metadata,
});

const lokiPush = { path: '/loki/api/v1/push', type: 'application/json', write: writeLokiJson };
const protobuf = 'application/x-protobuf';

/** The others are compared with the first. */
export const protocolForms: readonly ProtocolForm[] = [
  { title: '/v3/logs', path: '/api/v3/logs', type: 'application/json', write: JSON.stringify },
  { title: 'Loki, JSON', ...lokiPush },
  { title: 'Loki, JSON in gzip', ...lokiPush, encoding: 'gzip' },
  { title: 'Loki, protobuf in Snappy', path: lokiPush.path, type: protobuf, write: writeLokiProtobuf },
  { title: 'OTLP, JSON', path: '/v1/logs', type: 'application/json', write: writeOtlpJson },
  { title: 'OTLP, protobuf', path: '/v1/logs', type: protobuf, write: writeOtlpProtobuf },
  {
    title: 'bulk',
    path: '/_bulk',
    type: 'application/x-ndjson',
    write: entries => onLines(entries.flatMap(entry => [{ create: {} }, asDocument(entry)])),
  },
  {
    title: 'Datadog',
    path: '/api/v2/logs',
    type: 'application/json',
    write: entries =>
      JSON.stringify(
        entries.map(({ timestamp, level, message, resource, metadata }) => ({
          message,
          status: level,
          service: resource,
          ddsource: 'bench',
          timestamp,
          ...metadata,
        })),
      ),
  },
  {
    title: 'Splunk, events',
    path: '/services/collector/event',
    type: 'application/json',
    write: entries =>
      onLines(
        entries.map(({ timestamp, level, message, resource, metadata }) => ({
          time: timestamp / 1000,
          host: resource,
          event: { message, severity: level },
          fields: metadata,
        })),
      ),
  },
  {
    title: 'Splunk, raw',
    path: '/services/collector/raw',
    type: 'text/plain',
    write: writeText,
  },
  {
    title: 'lines of JSON',
    path: '/api/v3/logs/lines',
    type: 'application/x-ndjson',
    write: entries =>
      onLines(
        entries.map(({ timestamp, level, message, resource, metadata }) => ({
          level,
          time: timestamp,
          msg: message,
          name: resource,
          ...metadata,
        })),
      ),
  },
  {
    title: 'lines of text',
    path: '/api/v3/logs/lines',
    type: 'text/plain',
    write: writeText,
  },
];

/** Makes whole requests, heads and bodies, with this many entries each. */
export function makeProtocolRequests(form: ProtocolForm, entries: number, token: string): Buffer[] {
  const now = Date.now();
  return Array.from({ length: requestsMade }, (_, variant) => {
    const numbers = Array.from({ length: entries }, (__, index) => variant * entries + index);
    const written = form.write(
      numbers.map(number => ({ ...makeEntry(number), timestamp: now + (number % 1000) })),
    );
    const body = form.encoding === 'gzip' ? gzipSync(written) : Buffer.from(written);
    const head = [
      `POST ${form.path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      `Content-Type: ${form.type}`,
      ...(form.encoding ? [`Content-Encoding: ${form.encoding}`] : []),
      `Content-Length: ${body.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  });
}
