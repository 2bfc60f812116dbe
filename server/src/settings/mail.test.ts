/** Mail settings: accepted, or rejected in a sentence that names the setting and contains no password. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { type Environment, readConfig, showSettings } from '../config.ts';

const read = (settings: Environment) =>
  readConfig(Object.fromEntries(Object.entries(settings).map(([name, value]) => [`TAPEDECK_${name}`, value])))
    .mail;

describe('the mail server', () => {
  it('is optional', () => assert.equal(read({}), null));
  it('is used for mail', () => assert.equal(read({ SMTP_URL: 'smtp://mail:25' })?.server.port, 25));

  const senders: [string, Environment, string][] = [
    ['an address', { SMTP_URL: 'smtp://mail', SMTP_FROM: 'logs@example.org' }, 'logs@example.org'],
    ['known to the server', { SMTP_URL: 'smtp://me%40example.org:p@mail' }, 'me@example.org'],
    [
      'the installation',
      { SMTP_URL: 'smtp://me:p@mail', PUBLIC_URL: 'https://logs.example.org' },
      'tapedeck@logs.example.org',
    ],
  ];
  for (const [name, settings, address] of senders) {
    it(`sends from ${name}`, () => assert.deepEqual(read(settings)?.from, { name: 'Tapedeck', address }));
  }

  const wrong: [string, Environment][] = [
    ['SMTP_URL', { SMTP_URL: 'mail.example.org' }],
    ['SMTP_URL', { SMTP_URL: 'http://mail.example.org' }],
    ['SMTP_URL', { SMTP_URL: 'smtp://me:secret@mail/inbox' }],
    ['SMTP_FROM', { SMTP_URL: 'smtp://mail', SMTP_FROM: 'nobody' }],
    ['SMTP_FROM', { SMTP_FROM: 'logs@example.org' }],
  ];
  for (const [name, settings] of wrong) {
    it(`rejects ${JSON.stringify(settings)}`, () => {
      const sentence = new RegExp(`^SettingError: TAPEDECK_${name} (?!.*secret)[^\\n]+\\.$`);
      assert.throws(() => read(settings), sentence);
    });
  }
});

test('hides its password', () => {
  const shown = JSON.stringify(showSettings({ TAPEDECK_SMTP_URL: 'smtp://me:hunter2@mail.example.org' }));
  assert.ok(shown.includes('smtp://me:***@mail.example.org') && !shown.includes('hunter2'), shown);
});
