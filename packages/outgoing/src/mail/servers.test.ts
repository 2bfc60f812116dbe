/** Tests URLs of mail servers, and the security of connections. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readServer, type SmtpServer } from './servers.ts';

const rows: [string, Partial<SmtpServer>][] = [
  [
    'smtp://mail',
    { host: 'mail', port: 587, credentials: null, encryption: 'offered', isCertificateChecked: false },
  ],
  ['smtp://mail:25/', { port: 25 }],
  ['smtp://[::1]:25', { host: '::1', isCertificateChecked: false }],
  ['smtps://mail.example.org', { port: 465, encryption: 'always', isCertificateChecked: true }],
  ['smtps://localhost', { isCertificateChecked: false }],
  [
    'smtp://me%40example.org:p%3Aw@mail.example.org',
    {
      credentials: { user: 'me@example.org', password: 'p:w' },
      encryption: 'required',
      isCertificateChecked: true,
    },
  ],
  ['smtp://me:pw@127.0.0.1:2525', { encryption: 'offered', isCertificateChecked: false }],
  ['smtp://me:pw@mail?requireTLS=false', { encryption: 'offered', isCertificateChecked: true }],
  ['smtp://me:pw@mail?tls.rejectUnauthorized=false', { encryption: 'required', isCertificateChecked: false }],
  [
    'smtp://mail?requireTLS=true&tls.rejectUnauthorized=true',
    { encryption: 'required', isCertificateChecked: true },
  ],
];

describe('servers', () => {
  for (const [url, expected] of rows) {
    it(url, () => {
      const server = readServer(url);
      assert.ok(server !== null);
      assert.deepEqual({ ...server, ...expected }, server);
    });
  }

  const wrong = [
    'mail',
    'http://mail',
    'smtp://',
    'smtp://mail/path',
    'smtp://mail#1',
    'smtp://:password@mail',
    'smtp://me:100%@mail',
    'smtp://mail?ignoreTLS=true',
    'smtp://mail?requireTLS=maybe',
    'smtp://mail:port',
  ];
  for (const url of wrong) it(`${url} is not a server`, () => assert.equal(readServer(url), null));
});
