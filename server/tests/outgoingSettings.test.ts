/** Settings of what goes out to channels: read as they are meant, or refused in a sentence that names them. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { type Config, type Environment, readConfig, showSettings } from '../src/config.ts';

const read = (settings: Environment) =>
  readConfig(
    Object.fromEntries(Object.entries(settings).map(([name, value]) => [`TAPEDECK_${name}`, value])),
  );

describe('what goes out', () => {
  const rows: [string, Environment, (config: Config) => unknown, unknown][] = [
    ['no mails', {}, c => c.outgoing, { allowsPrivate: false, mail: null }],
    ['private addresses', { OUTGOING_PRIVATE: 'true' }, c => c.outgoing.allowsPrivate, true],
    ['a mail server', { SMTP_URL: 'smtp://mail:25' }, c => c.outgoing.mail?.server.port, 25],
    [
      'mails from an address',
      { SMTP_URL: 'smtp://mail', SMTP_FROM: 'logs@example.org' },
      c => c.outgoing.mail?.from.address,
      'logs@example.org',
    ],
    [
      'mails from whom the server knows',
      { SMTP_URL: 'smtp://me%40example.org:p@mail' },
      c => c.outgoing.mail?.from.address,
      'me@example.org',
    ],
    [
      'mails from the installation',
      { SMTP_URL: 'smtp://mail', PUBLIC_URL: 'https://logs.example.org' },
      c => c.outgoing.mail?.from.address,
      'tapedeck@logs.example.org',
    ],
  ];
  for (const [name, settings, pick, expected] of rows) {
    it(name, () => assert.deepEqual(pick(read(settings)), expected));
  }

  const wrong: [string, Environment][] = [
    ['SMTP_URL', { SMTP_URL: 'mail.example.org' }],
    ['SMTP_URL', { SMTP_URL: 'http://mail.example.org' }],
    ['SMTP_URL', { SMTP_URL: 'smtp://me:secret@mail/inbox' }],
    ['SMTP_FROM', { SMTP_URL: 'smtp://mail', SMTP_FROM: 'nobody' }],
    ['SMTP_FROM', { SMTP_FROM: 'logs@example.org' }],
    ['OUTGOING_PRIVATE', { OUTGOING_PRIVATE: 'yes' }],
  ];
  for (const [name, settings] of wrong) {
    it(JSON.stringify(settings), () => {
      assert.throws(
        () => read(settings),
        new RegExp(`^SettingError: TAPEDECK_${name} (?!.*secret)[^\\n]+\\.$`),
      );
    });
  }
});

test('the password of the mail server is not shown', () => {
  const shown = JSON.stringify(showSettings({ TAPEDECK_SMTP_URL: 'smtp://me:hunter2@mail.example.org' }));
  assert.ok(shown.includes('smtp://me:***@mail.example.org') && !shown.includes('hunter2'), shown);
});
