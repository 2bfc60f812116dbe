/**
 * Entries with as much metadata as they may have: no page of them blocks the event loop longer than CONTRACT.md, 14, allows. These pages hold more
 * than the service reads at once, so the rest is read while it is written.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { requireShortHolds } from '../support/eventLoop.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, store, get } = await openLogClient(service);

const entries = 100; // CONTRACT.md, 4.2: the largest page
const batch = 25; // of a quarter of a megabyte each
const parentId = 'a'.repeat(32);
const value = 'v'.repeat(1_000);
const makeMetadata = (entry: number) =>
  Object.fromEntries(Array.from({ length: 256 }, (_, path) => [`path${path}`, `${entry} ${value}`]));
for (let start = 0; start < entries; start += batch)
  await store(
    Array.from({ length: batch }, (_, index) => ({
      level: 'info',
      message: `entry ${start + index}`,
      parentId,
      metadata: makeMetadata(start + index),
    })),
    'wide',
  );

type Row = { traceId: string; body: string; metadata: Record<string, string> };

describe('an entry full of quotes, which take long to read and write:', () => {
  const quotes = Object.fromEntries(
    Array.from({ length: 256 }, (_, path) => [`path${path}`, '"'.repeat(16 * 1024)]),
  );
  const [last] = Object.keys(quotes).slice(-1);
  const rows: readonly [title: string, path: string][] = [
    ['alone', '/TRACE'],
    ['in a page', '?dataset=quotes'],
    ['in context', '/TRACE/context'],
    ['as a line', '/export?dataset=quotes'],
    ['as a row', '/export?dataset=quotes&format=csv'],
  ];
  for (const [title, path] of rows)
    it(title, async () => {
      const found = (await (await get('?dataset=quotes&limit=1')).json()) as { data: Row[] }; // as above
      if (found.data.length === 0)
        await store([{ level: 'info', message: 'quotes', metadata: quotes }], 'quotes');
      const page = (await (await get('?dataset=quotes&limit=1')).json()) as { data: [Row] }; // one entry
      let text = '';
      await requireShortHolds(async () => {
        text = await (await get(path.replace('TRACE', page.data[0].traceId))).text();
      });
      assert.ok(text.includes(String(last)));
      assert.ok(text.length > 2 * 256 * 16 * 1024);
      if (path.includes('csv')) return;
      const read = JSON.parse(text) as { data?: Row | Row[] | { entry: Row } } & Row; // all of these hold the entry
      assert.ok(JSON.stringify(read).includes(JSON.stringify(quotes)));
    });
});

describe('a page of', () => {
  it('the search, whole and in order', async () => {
    let text = '';
    await requireShortHolds(async () => {
      const response = await get('?dataset=wide&limit=100&includeTotal=true');
      assert.equal(response.headers.get('content-type'), 'application/json');
      text = await response.text();
    });
    const { data, pagination, status } = JSON.parse(text) as {
      data: Row[];
      pagination: object;
      status: string;
    }; // CONTRACT.md, 4.2
    assert.deepEqual(
      data.map(({ body }) => body),
      Array.from({ length: entries }, (_, index) => `entry ${entries - 1 - index}`),
    );
    assert.deepEqual(data[0]?.metadata, makeMetadata(entries - 1));
    assert.deepEqual(pagination, { hasMore: false, limit: 100, offset: 0, total: entries, nextCursor: null });
    assert.equal(status, 'ok');
  });

  const rows: readonly [title: string, path: string][] = [
    ['children', `/api/v3/logs/${parentId}/children`],
    ['context', '/api/v3/logs/TRACE/context?before=50&after=50'],
    ['the timeline', '/api/manage/projects/default/timeline?limit=100'],
    ['lines for Grafana', '/loki/api/v1/query_range?query={dataset="wide"}&limit=100'],
  ];
  for (const [title, path] of rows)
    it(title, async () => {
      const first = (await (await get('?dataset=wide&limit=1')).json()) as { data: [Row] }; // one entry
      const url = path.replace('TRACE', first.data[0].traceId);
      const isManaging = path.includes('/manage/');
      const headers: Record<string, string> = isManaging
        ? { cookie: `tapedeck_session=${owner.cookie}` }
        : { authorization: token };
      let text = '';
      await requireShortHolds(async () => {
        const response = await service.fetch(url, { headers });
        text = await response.text();
        assert.equal(response.status, 200, text);
      });
      assert.ok(text.split('"path255":').length > entries / 2);
      JSON.parse(text);
    });
});
