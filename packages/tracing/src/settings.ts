/** Reads OpenTelemetry's environment variables for traces. */
import { readNumber, readPublicUrl, SettingError } from '@tapedeck/values/settings';
import { type Sampler, samplerNames } from './sampling.ts';

export type TraceSettings = {
  url: string;
  format: 'protobuf' | 'json';
  headers: Readonly<Record<string, string>>;
  isCompressed: boolean;
  timeoutMs: number;
  /** Attributes of the service, including `service.name`. */
  resource: Readonly<Record<string, string>>;
  sampler: Sampler;
  /** Whether requests with `traceparent` continue its trace. */
  continuesTraces: boolean;
  delayMs: number;
  queueSpansMax: number;
  batchSpansMax: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

const usualName = 'tapedeck';
const countMax = 1_000_000;
const durationMsMax = 3_600_000;

/** Returns null if tracing is off. `OTEL_EXPORTER_OTLP_TRACES_…` takes precedence over `OTEL_EXPORTER_OTLP_…`. */
export function readTraceSettings(environment: Environment): TraceSettings | null {
  const given = (name: string) => environment[name]?.trim() || undefined;
  const isOff = /^true$/i.test(given('OTEL_SDK_DISABLED') ?? '') || given('OTEL_TRACES_EXPORTER') === 'none';
  const url = isOff ? null : readEndpoint(given);
  if (url === null) return null;
  requireOneOf(given, 'OTEL_TRACES_EXPORTER', ['otlp', 'none']);
  const own = (end: string) => {
    const name = `OTEL_EXPORTER_OTLP_TRACES_${end}`;
    return given(name) === undefined ? `OTEL_EXPORTER_OTLP_${end}` : name;
  };
  const number = (name: string, usual: number, max: number) =>
    readNumber(name, given(name) ?? String(usual), { min: 1, max }) ?? usual;
  const queueSpansMax = number('OTEL_BSP_MAX_QUEUE_SIZE', 2048, countMax);
  return {
    url,
    format: readFormat(given, own('PROTOCOL')),
    headers: readPairs(own('HEADERS'), given(own('HEADERS'))),
    isCompressed: requireOneOf(given, own('COMPRESSION'), ['none', 'gzip']) === 'gzip',
    timeoutMs: number(own('TIMEOUT'), 10_000, durationMsMax),
    resource: {
      'service.name': usualName,
      ...readPairs('OTEL_RESOURCE_ATTRIBUTES', given('OTEL_RESOURCE_ATTRIBUTES')),
      ...(given('OTEL_SERVICE_NAME') && { 'service.name': given('OTEL_SERVICE_NAME')! }),
    },
    sampler: readSampler(given),
    continuesTraces: (given('OTEL_PROPAGATORS') ?? 'tracecontext').split(/\s*,\s*/).includes('tracecontext'),
    delayMs: number('OTEL_BSP_SCHEDULE_DELAY', 5_000, durationMsMax),
    queueSpansMax,
    batchSpansMax: Math.min(number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, countMax), queueSpansMax),
  };
}

type Given = (name: string) => string | undefined;

function readEndpoint(given: Given): string | null {
  const read = (name: string) => readPublicUrl(name, given(name));
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (own !== null) return own;
  const base = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  return base && `${base.replace(/\/+$/, '')}/v1/traces`;
}

function readFormat(given: Given, name: string): TraceSettings['format'] {
  const protocol = given(name) ?? 'http/protobuf';
  if (protocol === 'http/protobuf') return 'protobuf';
  if (protocol === 'http/json') return 'json';
  throw new SettingError(
    name,
    'must be http/protobuf or http/json; collectors usually accept both on port 4318, and gRPC on 4317',
  );
}

function readSampler(given: Given): Sampler {
  const name = 'OTEL_TRACES_SAMPLER';
  const sampler = given(name) ?? 'parentbased_always_on';
  const known = samplerNames.find(each => each === sampler);
  if (known === undefined) throw new SettingError(name, `must be one of ${samplerNames.join(', ')}`);
  const ratio = Number(given('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (known.endsWith('traceidratio') && !(ratio >= 0 && ratio <= 1))
    throw new SettingError('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1');
  return { name: known, ratio };
}

function requireOneOf(given: Given, name: string, values: readonly string[]): string | undefined {
  const value = given(name);
  if (value !== undefined && !values.includes(value))
    throw new SettingError(name, `must be ${values.join(' or ')}`);
  return value;
}

/** Reads `name=value` pairs, separated by commas, with percent-encoded values. */
function readPairs(name: string, text = ''): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map(pair => {
      const [, key = '', value = ''] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      if (key === '') throw new SettingError(name, 'must hold pairs name=value, separated by commas');
      try {
        return [key, decodeURIComponent(value)];
      } catch {
        throw new SettingError(name, `must hold values in percent-encoding; that of ${key} is not`);
      }
    }),
  );
}
