/** Describes each ingest protocol for fuzzing: seed bodies, how to count a body's entries, and the required form of a response. */
import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import {
  readBulk,
  readDatadog,
  readLines,
  readLokiJson,
  readLokiProtobuf,
  readOtlp,
  readSnappy,
  readSplunkEvents,
  readSplunkRaw,
  usualLineNames,
} from '@tapedeck/log-protocols';
import { levelSynonyms } from '@tapedeck/log-query-language';
import fc from 'fast-check';
import { makeEntry } from '../../../bench/logEntries.ts';
import { protocolForms } from '../../../bench/protocolRequests.ts';
import { nowNanos, otlpBody } from './protocolBodies.ts';
import type { RawAnswer } from './rawHttp.ts';

type Seed = { path: string; type: string; body: Buffer; isSnappy: boolean };

export type FuzzedProtocol = {
  name: string;
  seeds: readonly Seed[];
  /** Well-formed bodies with arbitrary content. */
  shaped: fc.Arbitrary<unknown>;
  /** Counts the entries that a successful response says were stored. */
  countTaken(body: Buffer, answer: RawAnswer, type: string): number;
  /** Reads the error message in the protocol's format. */
  readError(body: string, type: string): unknown;
};

const wording = { levels: levelSynonyms };
const isProtobuf = (type: string) => /protobuf/.test(type);

function listSeeds(paths: RegExp, extra: readonly [path: string, type: string, body: string][] = []): Seed[] {
  const entries = [1, 2, 3].map(number => ({ ...makeEntry(number), timestamp: Date.now() }));
  const formed = protocolForms
    .filter(({ path }) => paths.test(path))
    .map(({ path, type, write }) => {
      const written = Buffer.from(write(entries));
      const isSnappy = path.startsWith('/loki') && isProtobuf(type);
      return { path, type, isSnappy, body: isSnappy ? readSnappy(written, written.length * 100) : written };
    });
  return [
    ...formed,
    ...extra.map(([path, type, body]) => ({ path, type, body: Buffer.from(body), isSnappy: false })),
  ];
}

const json = 'application/json';
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'error', '__proto__', 'x'.repeat(70_000)),
);
const times = fc.constantFrom(
  nowNanos,
  '0',
  '-1',
  '9'.repeat(25),
  1e30,
  Date.now(),
  'x',
  null,
  '2026-01-02T03:04:05Z',
);
const values = fc.oneof(fc.jsonValue({ maxDepth: 4 }), texts);
const names = fc.oneof(
  texts,
  fc.constantFrom(
    'level',
    'message',
    'service',
    'dataset',
    'log',
    '@timestamp',
    'constructor',
    'event',
    'fields',
    'time',
  ),
);
const documents = fc.dictionary(names, values, { maxKeys: 12 });
const listOf = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.array(arbitrary, { maxLength: 4 });
const otlpValues = fc.oneof(
  fc.record({ stringValue: values }),
  fc.record({ kvlistValue: fc.record({ values: listOf(fc.record({ key: texts, value: values })) }) }),
  fc.record({ arrayValue: fc.record({ values: listOf(values) }) }),
  values,
);
const attributes = listOf(fc.record({ key: names, value: otlpValues }, { requiredKeys: [] }));

function describe(text: string): { code: unknown } & Record<string, unknown> {
  return JSON.parse(text); // fails the test if the body is not JSON
}

export const fuzzedProtocols: readonly FuzzedProtocol[] = [
  {
    name: 'Loki',
    seeds: listSeeds(/^\/loki/, [
      [
        '/loki/api/v1/push',
        json,
        `{"streams":[{"labels":"{job=\\"a\\"}","entries":[{"ts":"2026-01-02T03:04:05Z","line":"x"}]}]}`,
      ],
      [
        '/loki/api/v1/push',
        json,
        `{"streams":[{"stream":{"dataset":"fuzzed","level":"odd"},"values":[["${nowNanos}","x",{"level":"warn"}]]}]}`,
      ],
    ]),
    shaped: fc.record({
      streams: listOf(
        fc.record(
          { stream: documents, values: listOf(fc.tuple(times, texts, documents)) },
          { requiredKeys: [] },
        ),
      ),
    }),
    countTaken: (body, _, type) =>
      (isProtobuf(type) ? readLokiProtobuf(readSnappy(body, 1e8), wording) : readLokiJson(body, wording))
        .length,
    readError: body => /^.+\n$/s.test(body),
  },
  {
    name: 'OTLP',
    seeds: listSeeds(/^\/v1\/logs/, [['/otlp/v1/logs', json, otlpBody]]),
    shaped: fc.record({
      resourceLogs: listOf(
        fc.record({
          resource: fc.record({ attributes }, { requiredKeys: [] }),
          scopeLogs: listOf(
            fc.record({
              scope: fc.record({ name: texts, attributes }),
              logRecords: listOf(
                fc.record(
                  {
                    timeUnixNano: times,
                    severityNumber: values,
                    severityText: texts,
                    body: otlpValues,
                    attributes,
                    traceId: texts,
                  },
                  { requiredKeys: [] },
                ),
              ),
            }),
          ),
        }),
      ),
    }),
    countTaken: (body, answer, type) =>
      readOtlp(body, isProtobuf(type) ? 'protobuf' : 'json', wording).length - countRejected(answer),
    readError: (body, type) =>
      isProtobuf(type)
        ? new BinaryReader(Buffer.from(body, 'latin1')).tag()[0] === 1
        : typeof describe(body).code === 'number',
  },
  {
    name: 'bulk',
    seeds: listSeeds(/^\/_bulk/, [
      [
        '/fuzzed/_bulk',
        'application/x-ndjson',
        '{"index":{"_id":"1"}}\n{"log":{"level":"error"},"message":"x"}\n{"delete":{}}\n',
      ],
    ]),
    shaped: listOf(fc.tuple(fc.constantFrom('create', 'index', 'update', 'delete'), documents)).map(pairs =>
      pairs.flatMap(([action, document]) => [{ [action]: { _index: 'fuzzed' } }, document]),
    ),
    countTaken: (body, { body: answer }) => {
      const items = Object.values(JSON.parse(answer).items as Record<string, { status: number }>[]);
      assert.equal(items.length, readBulk(body, { ...wording, index: null }).length);
      return items.filter(item => Object.values(item)[0]?.status === 201).length;
    },
    readError: body => {
      const { error, status } = describe(body) as { error?: { reason?: unknown }; status?: unknown };
      return typeof error?.reason === 'string' && typeof status === 'number';
    },
  },
  {
    name: 'Datadog',
    seeds: listSeeds(/^\/api\/v2\/logs/, [['/v1/input?ddsource=x&service=y', 'text/plain', 'a\nb\n']]),
    shaped: listOf(documents),
    countTaken: (body, _, type) =>
      readDatadog(body, { ...wording, defaults: {}, isJson: !/^text\//i.test(type) }).length,
    readError: body => Array.isArray((describe(body) as { errors?: unknown }).errors),
  },
  {
    name: 'Splunk events',
    seeds: listSeeds(/collector\/event/, [
      ['/services/collector', json, '{"event":"a","time":"1.5","index":"fuzzed"}{"event":{"x":1}}'],
    ]),
    shaped: listOf(documents),
    countTaken: body => readSplunkEvents(body, wording).length,
    readError: body => typeof describe(body).code === 'number',
  },
  {
    name: 'Splunk raw',
    seeds: listSeeds(/collector\/raw/, [['/services/collector/raw/1.0?host=h', json, 'x\r\n\r\ny']]),
    shaped: texts,
    countTaken: body => readSplunkRaw(body, {}, wording).length,
    readError: body => typeof describe(body).code === 'number',
  },
  {
    name: 'lines',
    seeds: listSeeds(/lines$/, [['/api/v3/logs/lines?messageField=a,b', json, '[{"a":"x"},"y"]']]),
    shaped: listOf(documents),
    countTaken: body => readLines(body, { ...wording, names: usualLineNames }).length,
    readError: body => typeof describe(body).code === 'string',
  },
];

/** Counts rejected entries from the response, in either encoding. */
function countRejected({ body, headers }: RawAnswer): number {
  if (!isProtobuf(headers['content-type'] ?? ''))
    return Number(JSON.parse(body).partialSuccess?.rejectedLogRecords ?? 0);
  if (body === '') return 0;
  const reader = new BinaryReader(Buffer.from(body, 'latin1'));
  assert.deepEqual(reader.tag(), [1, 2]);
  reader.uint32();
  assert.deepEqual(reader.tag(), [1, 0]);
  return Number(reader.int64());
}

const unpackers: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: bytes => gunzipSync(bytes),
  deflate: bytes => inflateSync(bytes),
  br: bytes => brotliDecompressSync(bytes),
  zstd: bytes => zstdDecompressSync(bytes),
};

/** Decompresses a body as the service does. */
export function unpackBody(bytes: Buffer, encoding: string | null): Buffer {
  const layers = (encoding ?? '').split(',').map(layer => layer.trim());
  return layers.reduceRight((inner, layer) => unpackers[layer]?.(inner) ?? inner, bytes);
}
