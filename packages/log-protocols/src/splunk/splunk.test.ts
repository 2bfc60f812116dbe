/** Tests bodies for Splunk's collector. */
import { json, testEntries, testRefusals, wording } from '../../tests/reading.ts';
import { readSplunkEvents, readSplunkRaw } from './reader.ts';

testEntries([
  [
    'Splunk: adjacent events, as texts and as objects',
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
    'Splunk: nested messages, and levels as handlers of Python and PHP name them',
    () =>
      readSplunkEvents(
        Buffer.from(
          '{"event":{"message":{"msg":"in","meta":{"a":1},"severity":"x"},"severity":"error"},"host":"h"}{"event":{"log_level":"WARNING","message":"m"}}{"event":{"level":400,"level_name":"ERROR","message":"php"}}{"event":{"message":{"x":1}}}',
        ),
        wording,
      ),
    [
      { level: 'error', message: 'in', metadata: { meta: { a: 1 }, 'message.severity': 'x', host: 'h' } },
      { level: 'warn', message: 'm' },
      { level: 'error', message: 'php', metadata: { level: 400 } },
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
]);

testRefusals([
  ['an event that is missing', () => readSplunkEvents(json({ time: 1 }), wording), /Event field is required/],
  ['an empty event', () => readSplunkEvents(json({ event: '' }), wording), /cannot be blank/],
]);
