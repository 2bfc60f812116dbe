/** Tests the reports that browsers send about violated policies. */
import { testEntries, testRefusals, wording } from '../../tests/reading.ts';
import { sentry } from './protocol.ts';

const rules = { ...wording, bytesMax: 1_000_000, usualDataset: 'default' };

function read(body: unknown, origin: Record<string, unknown> = {}) {
  const options = { sent: 'reports', files: [], origin } as const;
  return [...sentry.read(Buffer.from(JSON.stringify(body)), options, rules).entries];
}

testEntries([
  [
    'a blocked picture, with the release of the address',
    () =>
      read(
        {
          'csp-report': {
            'document-uri': 'https://example.org/a',
            'violated-directive': 'img-src https:',
            'blocked-uri': 'https://evil.example/x.png?1',
          },
        },
        { release: 'site@2', environment: 'live' },
      ),
    [
      {
        level: 'error',
        message: "Blocked 'img-src' from 'evil.example'",
        resource: 'site',
        metadata: {
          release: 'site@2',
          environment: 'live',
          logger: 'csp',
          'request.url': 'https://example.org/a',
          'csp.document-uri': 'https://example.org/a',
          'csp.violated-directive': 'img-src https:',
          'csp.blocked-uri': 'https://evil.example/x.png?1',
        },
      },
    ],
  ],
  [
    'reports of the Reporting API',
    () =>
      read([
        {
          type: 'csp-violation',
          url: 'https://example.org/b',
          user_agent: 'Browser/1',
          body: { effectiveDirective: 'script-src-elem', blockedURL: 'inline' },
        },
        { type: 'deprecation', url: 'https://example.org/b', body: { message: 'Old API' } },
      ]),
    [
      {
        level: 'error',
        message: "Blocked 'script-src-elem' from 'inline'",
        metadata: {
          logger: 'csp',
          'request.url': 'https://example.org/b',
          'request.headers.User-Agent': 'Browser/1',
          'csp.effectiveDirective': 'script-src-elem',
          'csp.blockedURL': 'inline',
        },
      },
      {
        level: 'error',
        message: 'Old API',
        metadata: {
          logger: 'deprecation',
          'request.url': 'https://example.org/b',
          'deprecation.message': 'Old API',
        },
      },
    ],
  ],
  [
    'an unexpected certificate',
    () => read({ 'expect-ct-report': { hostname: 'example.org', port: 443 } }),
    [
      {
        level: 'error',
        message: "expectct failed for 'example.org'",
        metadata: { logger: 'expectct', 'expectct.hostname': 'example.org', 'expectct.port': '443' },
      },
    ],
  ],
]);

testRefusals([
  ['no report', () => read([]), /1 to 100 reports/],
  ['too many reports', () => read(Array(101).fill({})), /1 to 100 reports/],
  ['something else', () => read({ a: 1 }), /Report 0 must be/],
  ['a report that is not an object', () => read([{ 'csp-report': {} }, 7]), /Report 1 must be/],
]);
