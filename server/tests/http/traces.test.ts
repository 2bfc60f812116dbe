/** Traces of the service as a collector receives them: requests, queries, inserts, files and jobs, without users' texts. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { uploadFile } from '@tapedeck/contract/files';
import { ingestLogs, queryLogs } from '@tapedeck/contract/logs';
import { smallPng } from '@tapedeck/media-facts/samples';
import { type ReceivedSpan, startCollector } from '@tapedeck/tracing/collector';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { formOf } from '../support/uploading.ts';

const collector = await startCollector();
const environment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  OTEL_BSP_SCHEDULE_DELAY: '20',
};
const service = await startTestService({ environment });
after(async () => {
  await service[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});
const owner = await addPerson(service, { isOwner: true });
const { token: logs } = await addToken(owner, { kind: 'logs' });
const { token: media } = await addToken(owner, { kind: 'media' });
const json = { 'content-type': 'application/json' };
const secret = 'sunken-treasure';
const batch = JSON.stringify([{ level: 'info', message: secret }]);

/** Resolves to the spans of a request with a new trace, in the order the collector gets them; the request's span comes first. */
async function traceOf(name: string, path: string, init: RequestInit & { headers: Record<string, string> }) {
  const traceId = crypto.randomUUID().replaceAll('-', '');
  const parent = 'b7ad6b7169203331';
  const traceparent = `00-${traceId}-${parent}-01`;
  const response = await service.fetch(path, { ...init, headers: { ...init.headers, traceparent } });
  await response.text();
  const isIt = (span: ReceivedSpan) => span.traceId === traceId && span.name === name;
  for (let requests = collector.headers.length; !collector.spans.some(isIt); requests++)
    await collector.untilRequests(requests + 1);
  const own = collector.spans.filter(span => span.traceId === traceId);
  const [request] = own.filter(isIt);
  assert.equal(request?.parentSpanId, parent);
  return { response, request: request!, steps: own.filter(span => span !== request) };
}

describe('a request is a span with its route, its status and its project', () => {
  const sent = { method: 'POST', headers: { ...json, authorization: logs }, body: batch };
  const rows: [string, string, RequestInit & { headers: Record<string, string> }, string, number, string?][] =
    [
      ['a batch by the fast path', ingestLogs.path, sent, 'POST /api/v3/logs', 200, 'default'],
      ['a batch with a query', `${ingestLogs.path}?dataset=x`, sent, 'POST /api/v3/logs', 200, 'default'],
      [
        'a rejected batch',
        ingestLogs.path,
        { ...sent, body: `[{"level":"${secret}"}]` },
        'POST /api/v3/logs',
        400,
        'default',
      ],
      [
        'an unknown token',
        `/api/webhooks/1/${secret}`,
        { ...sent, headers: json, body: '{}' },
        'POST /api/webhooks/:webhook/:token',
        401,
      ],
      ['an unknown path', `/${secret}`, { headers: {} }, 'GET', 404],
      [
        'of another protocol',
        '/loki/api/v1/push',
        { ...sent, body: '{"streams":[]}' },
        'POST /loki/api/v1/push',
        204,
        'default',
      ],
    ];
  for (const [title, path, init, name, status, project] of rows) {
    it(title, async () => {
      const { request, response } = await traceOf(name, path, init);
      assert.equal(response.status, status);
      assert.equal(request.kind, 2);
      assert.equal(request.hasFailed, false);
      assert.deepEqual(request.attributes, {
        'http.request.method': init.method ?? 'GET',
        ...(name.includes(' ') && { 'http.route': name.split(' ')[1] }),
        'http.response.status_code': status,
        'tapedeck.request_id': response.headers.get('x-request-id'),
        ...(project && { 'tapedeck.project': project }),
      });
    });
  }
});

test('a log query is a child span of its request', async () => {
  const path = `${queryLogs.path}?body=${secret}`;
  const { request, steps } = await traceOf('GET /api/v3/logs', path, { headers: { authorization: logs } });
  const [question] = steps;
  assert.equal(question?.name, 'query logs: entries');
  assert.equal(question.parentSpanId, request.spanId);
  assert.deepEqual(question.attributes, { 'tapedeck.project': 'default' });
});

test('storing a file is a child span of its request', async () => {
  const init = { method: 'POST', headers: { authorization: media } };
  const sent = { ...init, body: formOf(smallPng, {}, `${secret}.png`) };
  const { request, steps } = await traceOf('POST /api/v3/file', uploadFile.path, sent);
  const [step] = steps;
  assert.equal(step?.name, 'store file');
  assert.equal(step.parentSpanId, request.spanId);
  const expected = {
    'tapedeck.project': 'default',
    'tapedeck.type': 'image',
    'tapedeck.bytes': smallPng.length,
  };
  assert.deepEqual(step.attributes, expected);
});

test('spans after a parsed body remain children of its request', async () => {
  const headers = { cookie: `tapedeck_session=${owner.cookie}`, ...json, 'sec-fetch-site': 'same-origin' };
  const sent = { method: 'POST', headers, body: JSON.stringify({ kind: 'storage', name: 'x' }) };
  const path = '/api/manage/projects/default/rules/preview';
  const { response, request } = await traceOf('POST /api/manage/projects/:project/rules/preview', path, sent);
  assert.equal(request.attributes['http.response.status_code'], response.status);
  assert.equal(request.attributes['tapedeck.project'], 'default');
});

test('an insert into ClickHouse is a span with its rows', async () => {
  const insert = await collector.untilSpan('insert log entries');
  assert.equal(insert.parentSpanId, '');
  assert.ok(Number(insert.attributes.rows) >= 1 && Number(insert.attributes.bytes) > 0);
});

test('the resource names the service and its environment', () => {
  assert.equal(collector.resources[0]!['service.name'], 'tapedeck');
  assert.equal(collector.resources[0]!['deployment.environment.name'], 'test');
});

test('probes are not traced, and no span contains a token or user text', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) await service.fetch(path);
  await traceOf('GET /api/v3/token', '/api/v3/token', { headers: { authorization: media } });
  const exported = JSON.stringify(collector.spans, (_key, value) => (typeof value === 'bigint' ? '' : value));
  assert.doesNotMatch(exported, /healthz|readyz|\/metrics/);
  for (const text of [secret, logs, media, owner.cookie]) assert.ok(!exported.includes(text));
});

test('flushes pending spans at the stop', async () => {
  await using own = await startCollector();
  const stopping = await startTestService({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: own.url } });
  await stopping.fetch('/api/manage/state');
  assert.ok(!own.spans.some(({ name }) => name === 'GET /api/manage/state'), 'they wait for five seconds');
  await stopping[Symbol.asyncDispose]();
  assert.ok(own.spans.some(({ name }) => name === 'GET /api/manage/state'));
});

test('an unavailable collector does not affect requests, and is logged once', async () => {
  const stopped = await startCollector();
  await stopped[Symbol.asyncDispose]();
  const own = { OTEL_EXPORTER_OTLP_ENDPOINT: stopped.url, OTEL_BSP_SCHEDULE_DELAY: '5' };
  await using traced = await startTestService({ environment: own });
  const isNamed = () =>
    traced.logged.filter(line => line.includes('the collector of traces does not accept spans'));
  while (isNamed().length === 0) assert.equal((await traced.fetch('/api/manage/state')).status, 200);
  assert.equal((await traced.fetch('/api/manage/state')).status, 200);
  assert.equal(isNamed().length, 1);
});
