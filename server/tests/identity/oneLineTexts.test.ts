/** Addresses, targets and names are one line that means what it shows: nothing is cut, and nothing hides in it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as channels from '@tapedeck/contract/channels';
import { createInvitation } from '@tapedeck/contract/invitations';
import * as projects from '@tapedeck/contract/projects';
import { reportSession } from '@tapedeck/contract/sdk';
import * as tokens from '@tapedeck/contract/tokens';
import { createUser, updateUser } from '@tapedeck/contract/users';
import { withToken } from '../support/client.ts';
import { addPerson, addToken, password } from '../support/people.ts';
import { makeServer } from '../support/reporters.ts';
import { startQuietService } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';

const service = await startQuietService({
  environment: { TAPEDECK_SMTP_URL: 'smtp://127.0.0.1:1', TAPEDECK_OUTGOING_PRIVATE: 'true' },
});
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const params = { project: 'default' };
const refused = '400 invalid_field';

const breaks: [string, string][] = [
  ['a line break', '\n'],
  ['a carriage return', '\r'],
  ['a tab', '\t'],
  ['a zero byte', '\0'],
  ['an escape', '\u001b[31m'],
  ['a line separator', '\u2028'],
  ['a next line', '\u0085'],
];

describe('targets of channels', () => {
  const kinds = [
    ['discord', 'https://discord.com/api/webhooks/1/abc'],
    ['slack', 'https://hooks.slack.com/services/T/B/x'],
    ['webhook', 'https://example.org/hook'],
    ['email', 'one@example.org,two@example.org'],
  ] as const;
  for (const [kind, target] of kinds) {
    const half = Math.floor(target.length / 2);
    const rows = [...breaks, ['a blank', ' '] as const].flatMap(([name, text]) => [
      [`${name} before`, text + target],
      [`${name} inside`, target.slice(0, half - 2) + text + target.slice(half - 2)],
      [`${name} after`, target + text],
    ]);
    it(`of ${kind} contain only the address`, async () => {
      const send = (text: string) => ({ params, body: { name: kind, kind, target: text } });
      for (const [name = '', text = ''] of rows)
        assert.equal(await owner.refuse(channels.createChannel, send(text)), refused, name);
      const { channel } = await owner.call(channels.createChannel, send(target));
      const place = { ...params, channel: channel.id };
      for (const [name = '', text = ''] of rows) {
        const changed = { params: place, body: { target: text } };
        assert.equal(await owner.refuse(channels.updateChannel, changed), refused, name);
      }
    });
  }
  it('of email may have spaces around commas', async () => {
    const target = 'one@example.org, two@example.org';
    await owner.call(channels.createChannel, { params, body: { name: 'two', kind: 'email', target } });
  });
});

describe('names and addresses', () => {
  const made = addPerson(service);
  const ways: Record<string, (text: string) => Promise<string>> = {
    'of a channel': name =>
      owner.refuse(channels.createChannel, {
        params,
        body: { name, kind: 'webhook', target: 'https://example.org/' },
      }),
    'of a project': name => owner.refuse(projects.createProject, { body: { name, slug: 'named' } }),
    'of an updated project': name => owner.refuse(projects.updateProject, { params, body: { name } }),
    'of a token': name => owner.refuse(tokens.createToken, { params, body: { kind: 'media', name } }),
    'of a user': name => owner.refuse(createUser, { body: { email: 'named@example.org', password, name } }),
    'of an updated user': async name =>
      owner.refuse(updateUser, { params: { user: (await made).id }, body: { name } }),
    'of a domain': cdnDomain => owner.refuse(projects.updateProject, { params, body: { cdnDomain } }),
    'of a user’s address': email => owner.refuse(createUser, { body: { email, password } }),
    'of an invited person': email =>
      owner.refuse(createInvitation, { params, body: { role: 'viewer', email } }),
    'of a game server': async resourceName => {
      const { token } = await addToken(owner, { kind: 'logs' });
      return withToken(service, token).refuse(reportSession, { query: { ...makeServer(), resourceName } });
    },
    'of its address': async endpoint => {
      const { token } = await addToken(owner, { kind: 'logs' });
      return withToken(service, token).refuse(reportSession, { query: { ...makeServer(), endpoint } });
    },
  };
  for (const [name, send] of Object.entries(ways)) {
    it(`${name} are single-line`, async () => {
      for (const [what, text] of breaks) assert.equal(await send(`a${text}b@example.org`), refused, what);
    });
  }
  it('a name has visible characters', async () => {
    for (const name of [' ', '\u00a0', '\u3000 '])
      assert.equal(await owner.refuse(projects.updateProject, { params, body: { name } }), refused);
  });
  it('also on the command line', async () => {
    const environment = { TAPEDECK_DATA_DIR: service.dataDir };
    const about = ['--email', 'line@example.org', '--password', password];
    const lines: [line: string[], sentence: RegExp][] = [
      [['user', 'create', '--email', 'line@example.org\n', '--password', password], /address is not valid/],
      [['user', 'create', ...about, '--name', 'a\nb'], /must/],
      [['token', 'create', '--project', 'default', '--kind', 'media', '--name', 'a\nb'], /must/],
      [['project', 'create', 'a\nb'], /must/],
    ];
    for (const [line, sentence] of lines) {
      const { exitCode, complained } = await runTapedeck(line, environment);
      assert.notEqual(exitCode, 0, line.join(' '));
      assert.match(complained, sentence, line.join(' '));
    }
  });
});
