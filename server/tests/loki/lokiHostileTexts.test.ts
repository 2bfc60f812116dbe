/** Texts that are slow to read, in parameters and in stored lines, block the event loop no longer than CONTRACT.md, 14, allows. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { requireShortHolds } from '../support/eventLoop.ts';
import { startTestService } from '../support/service.ts';
import { at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, store } = await openLoki(service);

const digits = '1'.repeat(60_000);
const lines = [`x=${digits}y`, `x=0x${digits}y`, `x=${digits}.1.1`, `x="1${' '.repeat(60_000)}!"`];
await store(
  lines.map((message, index) => ({ level: 'info', message, timestamp: at(index) })),
  'digits',
);

const hour = { start: String(baseSeconds), end: String(baseSeconds + 3600) };
const query = '{dataset="digits"}';
const long = '1'.repeat(100_000);
const longer = '1'.repeat(900_000); // a form may hold a megabyte
const chain = Array(1_900).fill('vector(1)').join(' + ');

const rows: readonly [title: string, path: string, parameters: Record<string, string>, status: number][] = [
  ['digits before half a duration', 'query_range', { query: `${long}n` }, 400],
  ['digits before half a size', 'query_range', { query: `${long}B.` }, 400],
  [
    'open comments of a template',
    'query_range',
    { query: `${query} | line_format \`{{ ${'/* '.repeat(40_000)}\`` },
    400,
  ],
  ['a long chain of operators', 'query_range', { query: chain, step: '60' }, 200],
  ['a long chain of operators to print', 'format_query', { query: chain }, 200],
  ['since', 'query_range', { query, since: `${longer}y` }, 400],
  ['step', 'query_range', { query, step: `${longer}y` }, 400],
  ['interval', 'query_range', { query, interval: `${longer}y` }, 400],
  ['start', 'query_range', { query, start: `${longer}y` }, 400],
  ['lines with long numbers', 'detected_fields', { query }, 200],
  ['values with long numbers', 'detected_field/x/values', { query }, 200],
];

describe('a form with', () => {
  for (const [title, path, parameters, status] of rows)
    it(title, () => requireNoHold(path, String(new URLSearchParams({ ...hour, ...parameters })), status));

  it('two hundred thousand names', () =>
    requireNoHold(
      'query_range',
      Array.from({ length: 170_000 }, (_, index) => index.toString(36)).join('&'),
      400,
    ));
});

async function requireNoHold(path: string, body: string, status: number): Promise<void> {
  await requireShortHolds(async () => {
    const response = await service.fetch(`/loki/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
    const text = await response.text();
    assert.equal(response.status, status, text.slice(0, 200));
  });
}
