/**
 * Every log query that names a time, with times at both ends of RFC 3339: far limits include every entry, and no entry lies beyond them. The
 * assistants' tools do the same.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { getTimeline } from '@tapedeck/contract/timeline';
import { openAssistant } from '../mcp/assistant.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const timestamp = new Date(Date.now() - 60_000).toISOString();
await store(
  [{ level: 'info', message: 'here', metadata: { ms: 7 }, resource: 'shop', timestamp }],
  'default',
);

/** The response of each route if the time range holds the entry. */
const questions: readonly [path: string, found: RegExp][] = [
  ['?', /"here"/],
  ['?query=level:info&order=asc&', /"here"/],
  ['?includeTotal=true&', /"total":1\b/],
  ['/histogram?', /"total":1\b|"info":1\b/],
  ['/histogram?query=here&buckets=7&', /"total":1\b|"info":1\b/],
  ['/histogram?interval=52000w&', /"total":1\b|"info":1\b/],
  ['/series?', /[[,]1[,\]]/],
  ['/series?by=level&', /[[,]1[,\]]/],
  ['/series?stat=p95&field=ms&', /[[,]7[,\]]/],
  ['/series?interval=52000w&stat=unique&field=resource&', /[[,]1[,\]]/],
  ['/patterns?', /here/],
  ['/patterns?query=here&', /here/],
  ['/patterns?new=true&', /here/],
  ['/fields?', /"metadata.ms"|"ms"/],
  ['/values?field=ms&', /"7"/],
  ['/facets?field=resource&', /"shop"/],
  ['/export?format=ndjson&', /"here"/],
];

const first = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '1969-12-31T23:59:59.999999Z'];
const last = ['9999-12-31T23:59:59.999999999Z', '2255-06-06T00:00:00Z', '2106-02-07T06:28:16Z', timestamp];
const beside = [
  [first[0], first[2]],
  [last[2], last[0]],
  [last[0], last[0]],
  [last[0], first[0]],
];
const tookMsMax = 5_000; // some ten milliseconds on an idle machine

async function read(path: string): Promise<string> {
  const startedAt = performance.now();
  const response = await get(path);
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text}`);
  assert.ok(performance.now() - startedAt < tookMsMax, path);
  return text;
}

describe('script queries', () => {
  for (const [path, found] of questions)
    it(path, async () => {
      for (const from of first)
        for (const to of last)
          assert.match(await read(`${path}from=${from}&to=${to}`), found, `${from} ${to}`);
      for (const from of first) assert.match(await read(`${path}from=${from}`), found, from);
      for (const to of last) assert.match(await read(`${path}to=${to}`), found, to);
      for (const [from, to] of beside)
        assert.doesNotMatch(await read(`${path}from=${from}&to=${to}`), found, `${from} ${to}`);
    });

  it('reject more intervals than can be counted at once', async () => {
    for (const path of ['/histogram', '/series']) {
      const response = await get(`${path}?interval=1s&from=${first[0]}&to=${last[0]}`);
      assert.equal(response.status, 400);
      assert.match(await response.text(), /interval would make more than/);
    }
  });

  it('dashboard timelines, too', async () => {
    for (const from of first)
      for (const to of last) {
        const answer = await owner.call(getTimeline, { params: { project: 'default' }, query: { from, to } });
        assert.equal(answer.data.length, 1);
      }
  });
});

describe('assistant queries', () => {
  const { call } = openAssistant(service, token);
  const tools: readonly [name: string, given: object][] = [
    ['search_logs', {}],
    ['count_logs', {}],
    ['count_logs', { by: 'level' }],
    ['log_patterns', {}],
    ['log_series', {}],
    ['log_series', { by: 'level', stat: 'max', field: 'ms' }],
    ['log_fields', {}],
  ];
  for (const [name, given] of tools)
    it(`${name} ${JSON.stringify(given)}`, async () => {
      const spans = [
        ...first.flatMap(from => last.map(to => ({ from, to }))),
        { from: first[0] },
        { to: last[0] },
      ];
      for (const span of [...spans, { from: '52000w' }]) {
        const { isError, content } = await call(name, { ...given, ...span });
        assert.notEqual(isError, true, `${JSON.stringify(span)}: ${JSON.stringify(content)}`);
      }
    });
});
