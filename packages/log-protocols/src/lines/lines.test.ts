/** Tests bodies of lines and of objects. */
import { json, testEntries, testRefusals, wording } from '../../tests/reading.ts';
import { readLines, readObjects, usualLineNames } from './reader.ts';

const lines = { ...wording, names: usualLineNames };

testEntries([
  [
    'lines: objects as usual loggers write them, mixed with plain lines',
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
    'lines: objects of Monolog, whose levels are numbers up to 600',
    () =>
      readLines(
        json([
          { message: 'a', level: 400, level_name: 'ERROR', datetime: '2025-11-23T08:40:00.123456+00:00' },
          { message: 'b', level: 250, level_name: 'NOTICE', extra: {} },
        ]),
        lines,
      ),
    [
      { level: 'error', message: 'a', timestamp: 1763887200123.456, metadata: { level: 400 } },
      { message: 'b', metadata: { level: 250, extra: {} } },
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
    'lines: names of nested fields, as a logger of Python writes them',
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
    'lines: a level nested under its usual name',
    () => readLines(json({ message: 'm', log: { level: 'error' } }), lines),
    [{ level: 'error', message: 'm' }],
  ],
  [
    'lines: metadata beside other fields',
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
  ['an object without a message', () => readObjects(json([{ message: 'a' }, {}]), lines), /Entry 1: must be/],
  ['a text instead of an object', () => readObjects(json('text'), lines), /Entry 0: must be/],
  ['a broken line', () => readLines(Buffer.from('{"a":1}\n{"a":'), lines), /Line 1/],
]);
