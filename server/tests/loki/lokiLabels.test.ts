/** Labels, streams, volumes, patterns and fields on Loki's routes; their refusals; and entries from Loki's push. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { lokiReading } from '../../src/http/loki/contract.ts';
import { addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { type AskedFor, at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, store, ask, read, list } = await openLoki(service);
const hour = { start: String(baseSeconds), end: String(baseSeconds + 3600) };

await store(
  Array.from({ length: 20 }, (_, index) => ({
    level: index % 2 === 0 ? 'info' : 'error',
    message:
      index % 2 === 0 ? `player ${index} joined from 10.0.0.${index}` : `{"code": ${index}, "ok": true}`,
    resource: index < 10 ? 'lobby' : 'arena',
    metadata: { 'player.id': `p${index % 4}`, ms: index },
    timestamp: at(index * 60),
  })),
  'game',
);
// Entries name players by metadata, in a program's brackets, and by number.
await store(
  ['Ann said <hi>', 'Ben said <hi>', '5 said <hi>', '6 said <hi>'].map((message, index) => ({
    level: 'info',
    message,
    resource: 'chat',
    ...(index < 2 && { metadata: { 'player.name': message.slice(0, 3) } }),
    timestamp: at(index),
  })),
  'chat',
);

const pushed = await service.fetch('/loki/api/v1/push', {
  method: 'POST',
  headers: { authorization: token, 'content-type': 'application/json' },
  body: JSON.stringify({
    streams: [
      {
        stream: { job: 'proxy', app: 'edge', severity: 'WARNING', dataset: 'pushed', 'k8s.pod': 'pod-1' },
        values: [[`${baseSeconds + 5}000000000`, 'pushed line', { traceID: 't1' }]],
      },
    ],
  }),
});
assert.equal(pushed.status, 204);

const answers: readonly [title: string, path: string, parameters: AskedFor, expected: unknown][] = [
  [
    'labels',
    'labels',
    { query: '{dataset="game"}' },
    ['dataset', 'level', 'ms', 'player_id', 'service_name'],
  ],
  ['values of a stream label', 'label/service_name/values', {}, ['arena', 'chat', 'edge', 'lobby']],
  [
    'values of a metadata label',
    'label/player_id/values',
    { query: '{service_name="lobby"}' },
    ['p0', 'p1', 'p2', 'p3'],
  ],
  ['values of the level label', 'label/level/values', {}, ['error', 'info', 'warn']],
  ['values of an unknown label', 'label/absent/values', {}, undefined], // Loki leaves it out too
  ['labels without a match', 'labels', { query: '{dataset="none"}' }, undefined],
  ['streams without a match', 'series', { 'match[]': '{dataset="none"}' }, []],
  [
    'streams',
    'series',
    { 'match[]': '{dataset="game", service_name="lobby"}' },
    [
      { dataset: 'game', level: 'error', service_name: 'lobby' },
      { dataset: 'game', level: 'info', service_name: 'lobby' },
    ],
  ],
];

describe('labels', () => {
  for (const [title, path, parameters, expected] of answers)
    it(title, async () => assert.deepEqual((await read(path, { ...hour, ...parameters })).data, expected));

  it('of a push find its lines, by the pushed names and values', async () => {
    for (const selector of [
      'app="edge"',
      'job="proxy"',
      'severity="WARNING"',
      'level="warning"',
      'k8s_pod="pod-1"',
      'traceID="t1"',
      'dataset="pushed", job=~"pro.*"',
    ])
      assert.deepEqual(
        (await list(`{${selector}}`)).map(([, line]) => line),
        ['pushed line'],
        selector,
      );
  });

  it('of a push are available in templates, too', async () => {
    const query = '{dataset="pushed"} | line_format "{{.job}}/{{.app}} {{.k8s_pod}} {{.traceID}}"';
    assert.deepEqual(
      (await list(query)).map(([, line]) => line),
      ['proxy/edge pod-1 t1'],
    );
  });
});

describe('volume', () => {
  it('of a selector', async () => {
    const found = await read('index/stats', { ...hour, query: '{dataset="game"} |= "ignored"' });
    assert.deepEqual(found, { streams: 4, chunks: 4, entries: 20, bytes: await countBytes() });
  });

  it('of the values of a label, the largest first', async () => {
    const { data } = await read('index/volume', {
      ...hour,
      query: '{dataset="game"}',
      targetLabels: 'service_name',
    });
    const { resultType, result } = data as {
      resultType: string;
      result: { metric: object; value: [number, string] }[];
    };
    assert.equal(resultType, 'vector');
    assert.deepEqual(
      result.map(({ metric }) => metric),
      [{ service_name: 'arena' }, { service_name: 'lobby' }],
    );
    assert.equal(
      result.reduce((sum, { value }) => sum + Number(value[1]), 0),
      await countBytes(),
    );
  });

  it('of each label', async () => {
    const { data } = await read('index/volume', {
      ...hour,
      query: '{dataset="game"}',
      aggregateBy: 'labels',
    });
    const { result } = data as { result: { metric: object }[] };
    assert.deepEqual(
      result.map(({ metric }) => Object.keys(metric).length),
      [0, 0, 0],
    );
  });

  it('over time', async () => {
    const { data } = await read('index/volume_range', {
      start: hour.start,
      end: String(baseSeconds + 1100),
      step: '600',
      query: '{dataset="game"}',
      targetLabels: 'service_name',
    });
    const { result } = data as { result: { metric: Record<string, string>; values: [number, string][] }[] };
    const moments = result.map(({ metric, values }) => [metric.service_name, values.map(([at]) => at)]);
    // A millisecond before its part ends; the last one at the very end.
    assert.deepEqual(Object.fromEntries(moments), {
      lobby: [baseSeconds + 599.999],
      arena: [baseSeconds + 1100],
    });
  });

  it('of streams with all of the requested labels', async () => {
    const { data } = await read('index/volume', {
      ...hour,
      query: '{service_name=~".+"}',
      targetLabels: 'service_name,traceID',
    });
    const { result } = data as { result: { metric: object }[] };
    assert.deepEqual(
      result.map(({ metric }) => metric),
      [{ service_name: 'edge', traceID: 't1' }],
    );
  });
});

async function countBytes(): Promise<number> {
  return (await list('{dataset="game"}')).reduce((sum, [, line]) => sum + line.length, 0);
}

describe('line contents', () => {
  it('patterns match their own lines', async () => {
    const { data } = await read('patterns', { ...hour, step: '600', query: '{dataset="game"}' });
    const found = data as { pattern: string; level: string; samples: [number, number][] }[];
    assert.deepEqual(
      found.map(({ pattern, level, samples }) => [
        pattern,
        level,
        samples.reduce((sum, [, entries]) => sum + entries, 0),
      ]),
      [
        ['{"code": <_>, "ok": true}', 'error', 10],
        ['player <_> joined from <_>', 'info', 10],
      ],
    );
    for (const { pattern } of found)
      assert.equal((await list(`{dataset="game"} |> ${JSON.stringify(pattern)}`)).length, 10, pattern);
  });

  it('patterns have no names in their placeholders, and each occurs once', async () => {
    const { data } = await read('patterns', { ...hour, step: '3600', query: '{dataset="chat"}' });
    assert.deepEqual(data, [{ pattern: '<_> said <_>', level: 'info', samples: [[baseSeconds, 4]] }]);
    assert.equal((await list('{dataset="chat"} |> "<_> said <_>"')).length, 4);
  });

  it('fields of metadata and JSON', async () => {
    const { fields } = (await read('detected_fields', { ...hour, query: '{dataset="game"}' })) as unknown as {
      fields: { label: string; type: string; cardinality: number; parsers: string[] | null }[];
    };
    const listed = fields.filter(({ label }) => ['code', 'ok', 'ms', 'player_id'].includes(label));
    assert.deepEqual(listed, [
      { label: 'code', type: 'int', cardinality: 10, parsers: ['json'], jsonPath: ['code'] },
      { label: 'ms', type: 'int', cardinality: 20, parsers: null },
      { label: 'ok', type: 'boolean', cardinality: 1, parsers: ['json'], jsonPath: ['ok'] },
      { label: 'player_id', type: 'string', cardinality: 4, parsers: null },
    ]);
    const values = await read('detected_field/player_id/values', { ...hour, query: '{dataset="game"}' });
    assert.deepEqual((values as unknown as { values: string[] }).values, ['p0', 'p1', 'p2', 'p3']);
  });

  it('as many fields as requested, and none without a match', async () => {
    const query = '{dataset="game"}';
    const few = await read('detected_fields', { ...hour, query, field_limit: '2' });
    assert.equal((few as unknown as { fields: unknown[] }).fields.length, 2);
    assert.equal((await ask('detected_fields', { ...hour, query, limit: '5000' })).status, 200);
    assert.deepEqual(await read('detected_fields', { ...hour, query: '{dataset="none"}' }), {});
    assert.deepEqual(await read('detected_field/none/values', { ...hour, query }), {});
  });

  it('labels of streams, and how many values each has', async () => {
    const found = await read('detected_labels', { ...hour, query: '{dataset="game"}' });
    assert.deepEqual(found, {
      detectedLabels: [
        { label: 'service_name', cardinality: 2 },
        { label: 'level', cardinality: 2 },
        { label: 'dataset', cardinality: 1 },
      ],
    });
  });

  it('limits, rules and formatted queries', async () => {
    const limits = (await read('drilldown-limits')) as unknown as {
      pattern_ingester_enabled: boolean;
      version: string;
    };
    assert.deepEqual([limits.pattern_ingester_enabled, limits.version], [true, '3.7.0']);
    assert.deepEqual(await read('rules'), {});
    assert.equal((await read('format_query', { query: '{ a = "b" }' })).data, '{a="b"}');
  });
});

/** Wrong requests for each route. */
const wrong: Readonly<Record<string, AskedFor>> = {
  query_invalid: { query: '{', match: '{', 'match[]': '{' },
  invalid_field: { query: '', start: 'then', end: 'now', time: 'now' },
};

describe('rejections', () => {
  for (const [get, post] of Object.values(lokiReading)) {
    const path = get.path.replace('/loki/api/v1/', '').replace('{name}', 'level');
    for (const code of get.errors)
      it(`${path}: ${code}`, async () => {
        const response = await ask(path, wrong[code]);
        assert.deepEqual([response.status, response.headers.get('x-error-code')], [400, code]);
        const posted = await send(path, new URLSearchParams(wrong[code]).toString());
        assert.deepEqual([posted.status, posted.headers.get('x-error-code')], [400, code]);
      });
    if (post.errors.includes('body_too_large'))
      it(`${path}: body_too_large`, async () => {
        const response = await send(path, `query=${'x'.repeat(1024 * 1024)}`);
        assert.deepEqual([response.status, response.headers.get('x-error-code')], [413, 'body_too_large']);
      });
  }

  it("a dataset outside the token's scope", async () => {
    const { token: narrow } = await addToken(owner, { kind: 'logs', scopes: ['read', 'dataset:game'] });
    const headers = { authorization: narrow, 'X-Scope-OrgID': 'pushed' };
    assert.equal((await ask('labels', {}, headers)).status, 403);
    const all = await read('label/dataset/values', hour, { authorization: narrow });
    assert.deepEqual(all.data, ['game']);
  });
});

function send(path: string, body: string): Promise<Response> {
  return service.fetch(`/loki/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
}
