/** Lines with as many labels as an entry may have block the event loop no longer than CONTRACT.md, 14, allows. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { requireShortHolds } from '../support/eventLoop.ts';
import { startTestService } from '../support/service.ts';
import { type AskedFor, at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, store, ask } = await openLoki(service);

const labels = 256; // CONTRACT.md, 4.1
const entries = 1_000;
const batch = 250;
const line = JSON.stringify({
  deep: { ids: Object.fromEntries(Array.from({ length: 50 }, (_, id) => [`f${id}`, id])) },
});
for (let start = 0; start < entries; start += batch)
  await store(
    Array.from({ length: batch }, (_, index) => ({
      level: 'info',
      message: line,
      metadata: Object.fromEntries(
        Array.from({ length: labels }, (_, label) => [
          `server.label${label}`,
          `value ${(start + index) * label}`,
        ]),
      ),
      timestamp: at(start + index),
    })),
    'wide',
  );

const query = '{dataset="wide"}';
const hour = { start: String(baseSeconds), end: String(baseSeconds + 3600) };
const rows: readonly [path: string, parameters: AskedFor][] = [
  ['query_range', { query, limit: '1000' }],
  ['query_range', { query: `${query} | json`, limit: '1000' }],
  ['query_range', { query: `${query} | label_format a="{{.level}}"`, limit: '1000' }],
  ['query_range', { query: `sum by (deep_ids_f1) (count_over_time(${query} | json [1h]))`, step: '3600' }],
  ['detected_fields', { query, line_limit: '1000' }],
  ['detected_field/server_label1/values', { query, line_limit: '1000' }],
  ['labels', { query }],
  ['series', { 'match[]': query }],
];

describe('holds the event loop for a moment only', () => {
  for (const [path, parameters] of rows)
    it(`${path} ${JSON.stringify(parameters)}`, () =>
      requireShortHolds(async () => {
        const response = await ask(path, { ...hour, ...parameters });
        assert.equal(response.status, 200, (await response.text()).slice(0, 200));
      }));

  it('the beginning of a tail', () =>
    requireShortHolds(async () => assert.equal(await countFollowed(), entries)));

  it('a page of the log search', () =>
    requireShortHolds(async () => {
      const response = await service.fetch('/api/v3/logs?limit=100&dataset=wide', {
        headers: { authorization: token },
      });
      assert.equal(response.status, 200, await response.text());
    }));
});

/** Follows until all entries have come. */
async function countFollowed(): Promise<number> {
  const parameters = new URLSearchParams({ query, start: hour.start, limit: String(entries) });
  const url = `${service.url.replace('http', 'ws')}/loki/api/v1/tail?${parameters}`;
  const socket = new WebSocket(url, { headers: { authorization: token } });
  let lines = 0;
  while (lines < entries) {
    const [data] = await once(socket, 'message');
    lines += String(data).split('"values":[').length - 1; // no two lines have the same labels
  }
  socket.close();
  return lines;
}
