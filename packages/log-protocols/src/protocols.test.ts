/** Bodies of the protocols that are one file each: bulk requests, Datadog, Splunk, lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, json, testEntries, testRefusals, wording } from '../tests/reading.ts';
import {
  readBulk,
  readDatadog,
  readLines,
  readObjects,
  readSplunkEvents,
  readSplunkRaw,
  usualLineNames,
} from './index.ts';

const datadog = { ...wording, defaults: {}, isJson: true };
const lines = { ...wording, names: usualLineNames };

testEntries([
  [
    'Datadog: a list, a status, a level inside of the message',
    () =>
      readDatadog(
        json([
          {
            message: 'a',
            ddsource: 'node',
            ddtags: 'env:prod',
            service: 'web',
            status: 'warning',
            timestamp: 1763884800123,
          },
          { message: '{"level":"error","msg":"b"}', hostname: 'h' },
          { message: 'c', status: 'ok' },
        ]),
        datadog,
      ),
    [
      {
        ...{ level: 'warn', message: 'a', resource: 'web', timestamp: 1763884800123 },
        metadata: { ddsource: 'node', ddtags: 'env:prod' },
      },
      { level: 'error', message: '{"level":"error","msg":"b"}', metadata: { hostname: 'h' } },
      { message: 'c' },
    ],
  ],
  [
    'Datadog: lines of text, with what the address says of them',
    () =>
      readDatadog(Buffer.from('one\r\n\ntwo'), {
        ...datadog,
        isJson: false,
        defaults: { service: 's', ddsource: 'd' },
      }),
    [
      { message: 'one', resource: 's', metadata: { ddsource: 'd' } },
      { message: 'two', resource: 's', metadata: { ddsource: 'd' } },
    ],
  ],
  [
    'Splunk: events one behind the other, as texts and as objects',
    () =>
      readSplunkEvents(
        Buffer.from(
          '{"event":"plain","time":"1763884800.123","host":"h","index":"arena"}\n{"event":{"message":"said","severity":"warning","a":{"b":1}},"fields":{"k":"}{"}}{"event":{"x":1}}',
        ),
        wording,
      ),
    [
      { dataset: 'arena', message: 'plain', timestamp: 1763884800123, metadata: { host: 'h' } },
      { level: 'warn', message: 'said', metadata: { a: { b: 1 }, k: '}{' } },
      { message: '{"x":1}', metadata: { x: 1 } },
    ],
  ],
  [
    'Splunk: messages inside of messages, and levels as a handler of Python calls them',
    () =>
      readSplunkEvents(
        Buffer.from(
          '{"event":{"message":{"msg":"in","meta":{"a":1},"severity":"x"},"severity":"error"},"host":"h"}{"event":{"log_level":"WARNING","message":"m"}}{"event":{"message":{"x":1}}}',
        ),
        wording,
      ),
    [
      { level: 'error', message: 'in', metadata: { meta: { a: 1 }, 'message.severity': 'x', host: 'h' } },
      { level: 'warn', message: 'm' },
      { message: '{"message":{"x":1}}', metadata: { message: { x: 1 } } },
    ],
  ],
  [
    'Splunk: raw lines',
    () => readSplunkRaw(Buffer.from('a\nb'), { host: 'h' }, wording),
    [
      { message: 'a', metadata: { host: 'h' } },
      { message: 'b', metadata: { host: 'h' } },
    ],
  ],
  [
    'lines: objects as usual loggers write them, and plain ones among them',
    () =>
      readLines(
        Buffer.from(
          '{"level":50,"time":1763884800123,"msg":"pino","pid":7}\nplain [x]\n{"levelname":"WARNING","message":"py","ts":1763884800.5}',
        ),
        lines,
      ),
    [
      { level: 'error', message: 'pino', timestamp: 1763884800123, metadata: { pid: 7 } },
      { message: 'plain [x]' },
      { level: 'warn', message: 'py', timestamp: 1763884800500 },
    ],
  ],
  [
    'lines: a list, and names of their own',
    () =>
      readLines(json([{ m: 'x', l: 'err' }]), {
        ...wording,
        names: { message: ['m'], level: ['l'], time: [], resource: [] },
      }),
    [{ level: 'error', message: 'x' }],
  ],
  [
    'lines: names of what lies inside of objects, as a logger of Python nests them',
    () =>
      readLines(
        json([
          { text: 't', record: { level: { name: 'ERROR', no: 40 }, message: 'in', line: 7 } },
          { 'record.message': 'own', record: { message: 'in', level: 'odd' } },
          { record: { level: { name: 'WARNING' } } },
        ]),
        {
          ...wording,
          names: { message: ['record.message'], level: ['record.level.name'], time: [], resource: [] },
        },
      ),
    [
      { level: 'error', message: 'in', metadata: { text: 't', record: { level: { no: 40 }, line: 7 } } },
      { message: 'own', metadata: { record: { message: 'in', level: 'odd' } } },
      { level: 'warn', message: '' },
    ],
  ],
  [
    'lines: a level inside of an object under its usual name',
    () => readLines(json({ message: 'm', log: { level: 'error' } }), lines),
    [{ level: 'error', message: 'm' }],
  ],
  [
    'lines: metadata stand beside what else is said',
    () =>
      readLines(
        json([
          { message: 'x', b: 1, metadata: { a: 2, b: { c: 3 } } },
          { message: 'y', metadata: [] },
          { metadata: 7 },
        ]),
        lines,
      ),
    [
      { message: 'x', metadata: { a: 2, b: { c: 3 }, 'entry.b': 1 } },
      { message: 'y' },
      { message: '', metadata: { metadata: 7 } },
    ],
  ],
  [
    'objects: one, or a list of them',
    () => [
      ...readObjects(json({ level: 'fatal', message: 'x' }), lines),
      ...readObjects(json([{ msg: 7 }]), lines),
    ],
    [{ level: 'error', message: 'x' }, { message: '7' }],
  ],
]);

testRefusals([
  [
    'an action of no kind',
    () => readBulk(Buffer.from('{"message":"x"}\n'), { ...wording, index: null }),
    /Action 0/,
  ],
  [
    'a document cut off',
    () => readBulk(Buffer.from('{"create":{}}\n'), { ...wording, index: null }),
    /cut off/,
  ],
  ['an event that is missing', () => readSplunkEvents(json({ time: 1 }), wording), /Event field is required/],
  ['a blank event', () => readSplunkEvents(json({ event: '' }), wording), /cannot be blank/],
  ['an object without a message', () => readObjects(json([{ message: 'a' }, {}]), lines), /Entry 1: must be/],
  ['a text instead of an object', () => readObjects(json('text'), lines), /Entry 0: must be/],
  ['a broken line', () => readLines(Buffer.from('{"a":1}\n{"a":'), lines), /Line 1/],
]);

test('bulk: each document by itself', () => {
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
        ...{
          dataset: 'arena',
          level: 'error',
          message: 'a',
          resource: 'web',
          timestamp: Date.UTC(2026, 0, 2, 3, 4, 5),
        },
        metadata: { service: { name: 'web' }, log: { x: 1 }, _id: '7' },
      },
      'Entries are never changed: delete is not taken.',
      'The document must be a JSON object on one line.',
      'Entries are never changed: update is not taken.',
      { dataset: 'usual', message: 'from a container' },
    ],
  );
});

test('bulk: documents as transports of loggers write them', () => {
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
