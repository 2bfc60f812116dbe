/** Tests request bodies for Datadog's intake. */
import { json, testEntries, wording } from '../../tests/reading.ts';
import { readDatadog } from './reader.ts';

const datadog = { ...wording, defaults: {}, isJson: true };

testEntries([
  [
    'Datadog: a list, a status, and a level in the message',
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
          { message: 'd', level: 300, level_name: 'WARNING' },
          { message: '{"message":"e","level":500,"level_name":"CRITICAL"}' },
        ]),
        datadog,
      ),
    [
      {
        level: 'warn',
        message: 'a',
        resource: 'web',
        timestamp: 1763884800123,
        metadata: { ddsource: 'node', ddtags: 'env:prod' },
      },
      { level: 'error', message: '{"level":"error","msg":"b"}', metadata: { hostname: 'h' } },
      { message: 'c' },
      { level: 'warn', message: 'd', metadata: { level: 300 } },
      { level: 'error', message: '{"message":"e","level":500,"level_name":"CRITICAL"}' },
    ],
  ],
  [
    'Datadog: lines of text, with attributes from the address',
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
]);
