/** Tests Elasticsearch's bulk requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, testRefusals, wording } from '../../tests/reading.ts';
import { readBulk } from './bulk.ts';

testRefusals([
  [
    'a missing action',
    () => readBulk(Buffer.from('{"message":"x"}\n'), { ...wording, index: null }),
    /Action 0/,
  ],
  [
    'a document cut off',
    () => readBulk(Buffer.from('{"create":{}}\n'), { ...wording, index: null }),
    /cut off/,
  ],
]);

test('bulk: reads each document independently', () => {
  const body = [
    '{"index":{"_index":"arena","_id":"7"}}',
    '{"@timestamp":"2026-01-02T03:04:05Z","message":"a","log":{"level":"error","x":1},"service":{"name":"web"}}',
    '{"delete":{"_index":"arena","_id":"8"}}',
    '{"create":{}}',
    'no document',
    '{"update":{"_index":"arena"}}',
    '{"doc":{}}',
    '{"create":{}}',
    '{"log":"from a container","level":30}',
  ];
  const items = readBulk(Buffer.from(`${body.join('\n')}\n`), { ...wording, index: 'usual' });
  assert.deepEqual(
    items.map(item => ('entry' in item ? brief(item.entry) : item.refusal.message)),
    [
      {
        dataset: 'arena',
        level: 'error',
        message: 'a',
        resource: 'web',
        timestamp: Date.UTC(2026, 0, 2, 3, 4, 5),
        metadata: { service: { name: 'web' }, log: { x: 1 }, _id: '7' },
      },
      'Entries cannot be changed, so delete is not supported.',
      'The document must be a JSON object on one line.',
      'Entries cannot be changed, so update is not supported.',
      { dataset: 'usual', message: 'from a container' },
    ],
  );
});

test('bulk: reads a long text that is no time in proportion to its length', () => {
  const time = 'T+'.repeat(100_000); // once took minutes
  const body = `{"create":{}}\n{"message":"a","@timestamp":"${time}"}\n`;
  const before = process.threadCpuUsage();
  const [item] = readBulk(Buffer.from(body), { ...wording, index: 'usual' });
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(item && 'entry' in item);
  assert.equal(item.entry.timestamp, undefined);
  assert.ok((user + system) / 1000 < 1_000);
});

test('bulk: reads documents as logger transports write them', () => {
  const timestamp = Date.UTC(2026, 0, 2, 3, 4, 5);
  const rows: readonly [document: object, entry: object][] = [
    [
      { '@timestamp': '2026-01-02T03:04:05.000Z', message: 'a', severity: 'error', fields: { b: 1 } },
      { level: 'error', message: 'a', timestamp, metadata: { fields: { b: 1 } } },
    ],
    [
      { level: 50, time: '2026-01-02T03:04:05Z', msg: 'a', severity: 'x' },
      { level: 'error', message: 'a', timestamp, metadata: { severity: 'x' } },
    ],
    [
      { levelname: 'CRITICAL', timestamp: '2026-01-02T03:04:05.000Z', message: 'a', msg: '%s' },
      { level: 'error', message: 'a', timestamp, metadata: { msg: '%s' } },
    ],
    [
      { '@timestamp': '2026-01-02T03:04:05', level: 550, level_name: 'ALERT', message: 'a' },
      { level: 'error', message: 'a', timestamp, metadata: { level: 550 } },
    ],
    [
      { level: 'WARNING', '@timestamp': '2026-01-02T03:04:05', content: 'a', time: 12 },
      { level: 'warn', message: 'a', timestamp, metadata: { time: 12 } },
    ],
    [
      { '@timestamp': '2026-01-02T05:04:05+0200', message: 'a', event: { kind: 'b' } },
      { message: 'a', timestamp, metadata: { event: { kind: 'b' } } },
    ],
    [
      { message: 'a', time: 0.25, timestamp: '0001-01-01T00:00:00Z' },
      { message: 'a', metadata: { time: 0.25, timestamp: '0001-01-01T00:00:00Z' } },
    ],
  ];
  for (const [document, entry] of rows) {
    const body = `{"index":{"_index":"x","pipeline":null},"attempts":0}\n${JSON.stringify(document)}\n`;
    const [item] = readBulk(Buffer.from(body), { ...wording, index: null });
    assert.ok(item && 'entry' in item);
    assert.deepEqual(brief(item.entry), { dataset: 'x', ...entry });
  }
});
