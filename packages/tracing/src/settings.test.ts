/** Tests reading OpenTelemetry's environment variables, and the messages about wrong ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraceSettings } from './settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
type Environment = Record<string, string>;

const off: readonly (readonly [title: string, environment: Environment])[] = [
  ['nothing is set', {}],
  ['the endpoint is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
  ['the traces exporter is none', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  [
    'it is disabled, even with other invalid settings',
    { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'x' },
  ],
];

for (const [title, environment] of off) {
  test(`sends no traces when ${title}`, () => assert.equal(readTraceSettings(environment), null));
}

test('needs only an endpoint', () => {
  assert.deepEqual(readTraceSettings(endpoint), {
    url: 'http://collector:4318/v1/traces',
    format: 'protobuf',
    headers: {},
    isCompressed: false,
    timeoutMs: 10_000,
    delayMs: 5_000,
    queueSpansMax: 2048,
    batchSpansMax: 512,
    resource: { 'service.name': 'tapedeck' },
    sampler: { name: 'parentbased_always_on', ratio: 1 },
    continuesTraces: true,
  });
});

const good: readonly (readonly [Environment, object])[] = [
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://a.example/x', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b' },
    { url: 'https://a.example/x' },
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b/otlp/' }, { url: 'http://b/otlp/v1/traces' }],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, { format: 'json' }],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    { format: 'json' },
  ],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-tenant = a=b' },
    { headers: { authorization: 'Bearer x', 'x-tenant': 'a=b' } },
  ],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }, { isCompressed: true }],
  [
    { OTEL_SERVICE_NAME: 'logs', OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,host.name=a%2Cb' },
    { resource: { 'service.name': 'logs', 'host.name': 'a,b' } },
  ],
  [
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
    { sampler: { name: 'parentbased_traceidratio', ratio: 0.25 } },
  ],
  [{ OTEL_PROPAGATORS: 'b3,baggage' }, { continuesTraces: false }],
  [{ OTEL_PROPAGATORS: 'b3, tracecontext' }, { continuesTraces: true }],
  [
    { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_BSP_MAX_QUEUE_SIZE: '8', OTEL_EXPORTER_OTLP_TIMEOUT: '200' },
    { delayMs: 50, queueSpansMax: 8, batchSpansMax: 8, timeoutMs: 200 },
  ],
];

for (const [environment, expected] of good) {
  test(`reads ${Object.keys(environment).join(', ')} ${Object.values(environment)[0]}`, () => {
    assert.partialDeepStrictEqual(readTraceSettings({ ...endpoint, ...environment }), expected);
  });
}

const bad: readonly (readonly [Environment, RegExp])[] = [
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    /^OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf or http\/json/,
  ],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'x' }, /^OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be http/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:b@c' }, /^OTEL_EXPORTER_OTLP_ENDPOINT .*without a user/],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /^OTEL_TRACES_EXPORTER must be otlp or none/],
  [{ OTEL_TRACES_SAMPLER: 'xray' }, /^OTEL_TRACES_SAMPLER must be one of always_on, /],
  [
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
    /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/,
  ],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'alone' }, /^OTEL_EXPORTER_OTLP_HEADERS must hold pairs/],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'a=%zz' }, /^OTEL_RESOURCE_ATTRIBUTES .*percent-encoding; that of a is not/],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, /^OTEL_EXPORTER_OTLP_COMPRESSION must be none or gzip/],
];

for (const [environment, sentence] of bad) {
  test(`refuses: ${sentence.source}`, () => {
    const read = () => readTraceSettings({ ...endpoint, ...environment });
    assert.throws(read, { name: 'SettingError', message: sentence });
  });
}
