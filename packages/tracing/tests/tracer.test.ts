/** Tests a tracer with a real collector: the spans that arrive, continued traces, and spans while the collector is unavailable. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { readTraceSettings, Tracer } from '../src/index.ts';
import { type Collector, startCollector } from './collector.ts';

const quick = { OTEL_BSP_SCHEDULE_DELAY: '5' };

function openTracer({ url }: Pick<Collector, 'url'>, environment: Record<string, string> = {}) {
  const lines: string[] = [];
  const tell = (facts: object, sentence: string) => void lines.push(`${sentence} ${JSON.stringify(facts)}`);
  const settings = readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...quick, ...environment });
  assert.ok(settings);
  const tracer = new Tracer(settings, { version: '1.2.3', log: { info: tell, warn: tell } });
  return { tracer, lines };
}

const attributes = { text: 'ü', whole: 7, negative: -1, half: 0.5, flag: true };

for (const [format, environment] of [
  ['http/protobuf', {}],
  ['http/json', { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }],
] as const) {
  test(`spans arrive as ${format} with all their data`, async () => {
    await using collector = await startCollector();
    const own = { OTEL_EXPORTER_OTLP_PROTOCOL: format, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret' };
    const { tracer } = openTracer(collector, { ...own, ...environment, OTEL_SERVICE_NAME: 'deck' });
    const before = BigInt(Date.now()) * 1_000_000n;
    const parent = tracer.begin({ name: 'parent', kind: 'server' });
    await tracer.runIn(parent, async () => {
      await setImmediate();
      tracer.note({ name: 'child', startedAt: performance.now(), attributes, hasFailed: true });
    });
    parent.end({ name: 'renamed' });
    await tracer[Symbol.asyncDispose]();
    const [child, root] = ['child', 'renamed'].map(name => collector.spans.find(span => span.name === name)!);
    assert.deepEqual(child!.attributes, attributes);
    assert.deepEqual([child!.kind, child!.hasFailed, root!.kind, root!.hasFailed], [1, true, 2, false]);
    assert.equal(child!.traceId, root!.traceId);
    assert.equal(child!.parentSpanId, root!.spanId);
    assert.equal(root!.parentSpanId, '');
    assert.match(`${root!.traceId} ${root!.spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/);
    assert.ok(root!.endNanos >= root!.startNanos && root!.startNanos > before - 1_000_000_000n);
    assert.equal(collector.resources[0]!['service.name'], 'deck');
    assert.equal(collector.resources[0]!['service.version'], '1.2.3');
    assert.equal(collector.headers[0]!['x-key'], 'secret');
  });
}

describe('a trace from a request', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const rows: [title: string, headers: Record<string, string>, environment: object, expected: string][] = [
    ['continues', { traceparent: `00-${traceId}-${spanId}-01` }, {}, 'continued'],
    ['continues unsampled', { traceparent: `00-${traceId}-${spanId}-00` }, {}, 'nothing'],
    [
      'is sampled again when the parent is ignored',
      { traceparent: `00-${traceId}-${spanId}-00` },
      { OTEL_TRACES_SAMPLER: 'always_on' },
      'continued',
    ],
    ['of a later version continues', { traceparent: `cc-${traceId}-${spanId}-01-more` }, {}, 'continued'],
    ['is ignored when invalid', { traceparent: `00-${traceId}-${spanId}-01-more` }, {}, 'begun'],
    ['is ignored when all zeros', { traceparent: `00-${'0'.repeat(32)}-${spanId}-01` }, {}, 'begun'],
    [
      'is ignored by other propagators',
      { traceparent: `00-${traceId}-${spanId}-01` },
      { OTEL_PROPAGATORS: 'b3' },
      'begun',
    ],
    ['is not kept when sampling is off', {}, { OTEL_TRACES_SAMPLER: 'always_off' }, 'nothing'],
    [
      'is not kept by a ratio of 0',
      {},
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
      'nothing',
    ],
  ];
  for (const [title, headers, environment, expected] of rows) {
    it(title, async () => {
      await using collector = await startCollector();
      const { tracer } = openTracer(collector, { ...environment });
      tracer.begin({ name: 'request', kind: 'server', headers: { tracestate: 'a=b', ...headers } }).end({});
      await tracer[Symbol.asyncDispose]();
      const [span] = collector.spans;
      if (span === undefined) assert.equal(expected, 'nothing');
      else if (span.traceId !== traceId) assert.deepEqual([expected, span.parentSpanId], ['begun', '']);
      else assert.deepEqual([expected, span.parentSpanId, span.traceState], ['continued', spanId, 'a=b']);
    });
  }
});

describe('while the collector', () => {
  it('is down, keeps a limited number of spans and sends them afterwards', async () => {
    const gone = await startCollector();
    await gone[Symbol.asyncDispose]();
    const { tracer, lines } = openTracer(gone, { OTEL_BSP_MAX_QUEUE_SIZE: '4' });
    const note = (count: number) => {
      for (let index = 0; index < count; index++)
        tracer.note({ name: 'waiting', startedAt: performance.now() });
    };
    note(1);
    while (lines.length === 0) await setImmediate();
    assert.match(lines[0]!, /does not accept spans/);
    note(10);
    await using back = await startCollector(Number(new URL(gone.url).port));
    await back.untilRequests(2);
    await tracer[Symbol.asyncDispose]();
    assert.equal(back.spans.length, 5, 'the one that was tried, and those of the queue');
    assert.match(lines[1] ?? '', /accepts spans again {"dropped":6}/);
    assert.equal(lines.length, 2);
  });

  it('is busy, sends the same spans again', async () => {
    await using collector = await startCollector();
    collector.plan(503);
    const { tracer } = openTracer(collector);
    tracer.note({ name: 'patient', startedAt: performance.now() });
    await collector.untilSpan('patient');
    assert.equal(collector.headers.length, 2);
    await tracer[Symbol.asyncDispose]();
  });

  it('rejects a batch, drops it and sends the next', async () => {
    await using collector = await startCollector();
    collector.plan(400);
    const { tracer, lines } = openTracer(collector);
    tracer.note({ name: 'refused', startedAt: performance.now() });
    await collector.untilRequests(1);
    tracer.note({ name: 'fine', startedAt: performance.now() });
    await collector.untilSpan('fine');
    await tracer[Symbol.asyncDispose]();
    assert.deepEqual(
      collector.spans.map(({ name }) => name),
      ['fine'],
    );
    assert.match(lines[0]!, /"reason":"it answered 400"/);
  });

  it('does not respond, stops within seconds', async () => {
    await using collector = await startCollector();
    collector.plan('never', 'never');
    const { tracer } = openTracer(collector);
    tracer.note({ name: 'stuck', startedAt: performance.now() });
    await collector.untilRequests(1);
    const startedAt = performance.now();
    await tracer[Symbol.asyncDispose]();
    assert.ok(performance.now() - startedAt < 10_000);
  });

  it('is slow, does not delay its callers', async () => {
    await using collector = await startCollector();
    collector.plan('never');
    const { tracer } = openTracer(collector, { OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
    tracer.note({ name: 'slow', startedAt: performance.now() });
    await collector.untilRequests(1);
    const startedAt = performance.now();
    for (let index = 0; index < 5_000; index++) tracer.note({ name: 'slow', startedAt: performance.now() });
    assert.ok(performance.now() - startedAt < 2_000);
    await collector.untilSpan('slow'); // after the first attempt timed out
    await tracer[Symbol.asyncDispose]();
    assert.ok(collector.spans.length <= 2048 + 1);
  });
});
