/** Email channels with a real mail server: what arrives, what it refuses, and what the service resends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import * as contract from '@tapedeck/contract/channels';
import { listDeliveries } from '@tapedeck/contract/deliveries';
import { ingestLogs } from '@tapedeck/contract/logs';
import { createRule } from '@tapedeck/contract/rules';
import sharp from 'sharp';
import type { SMTPServerOptions } from 'smtp-server';
import { withToken } from '../support/client.ts';
import { type Mailbox, readParts, startMailbox } from '../support/mailbox.ts';
import { leaveDeliveries } from '../support/outboxRows.ts';
import { addPerson, addToken, type Person } from '../support/people.ts';
import { makeDirectory, startTestService, type TestService } from '../support/service.ts';

const params = { project: 'default' };

async function startWithMail({ port }: Pick<Mailbox, 'port'>, dataDir?: string): Promise<TestService> {
  const environment = {
    TAPEDECK_SMTP_URL: `smtp://me%40example.org:right-password@127.0.0.1:${port}`,
    TAPEDECK_SMTP_FROM: 'tapedeck@example.org',
    TAPEDECK_PUBLIC_URL: 'https://logs.example.org',
  };
  return startTestService({ environment, ...(dataDir !== undefined && { dataDir }) });
}

async function addChannel(owner: Person, target = 'ops@example.org') {
  const body = { name: target.slice(0, 100), kind: 'email', target } as const;
  const { channel } = await owner.call(contract.createChannel, { params, body });
  return { channel, place: { params: { ...params, channel: channel.id } } };
}

/** Makes a rule that fires at the first entry. */
async function fire(owner: Person, service: TestService, channel: string): Promise<void> {
  const body = { name: 'Errors — über all', kind: 'count', query: 'fire', windowSeconds: 10 } as const;
  const condition = { op: '>=', value: 1 } as const;
  await owner.call(createRule, { params, body: { ...body, condition, channels: [channel] } });
  const logs = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
  await logs.call(ingestLogs, { body: [{ level: 'error', message: 'fire <b>in</b> the hold' }] as never });
}

async function untilAttempts(owner: Person, count: number) {
  for (const deadline = Date.now() + 60_000; ; await wait(50)) {
    const { deliveries } = await owner.call(listDeliveries, { params });
    const [first] = deliveries.filter(({ type }) => type === 'rule.fired');
    if (first !== undefined && first.attempts.length >= count) return first;
    assert.ok(Date.now() < deadline, JSON.stringify(deliveries));
  }
}

const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, callback) =>
  password === 'right-password' ? callback(null, { user: username }) : callback(new Error('Wrong password'));

test('mails firing and resolved alerts, authenticated and encrypted, as text, HTML and chart', async () => {
  await using mailbox = await startMailbox({ authOptional: false, onAuth });
  await using service = await startWithMail(mailbox);
  const owner = await addPerson(service, { isOwner: true });
  const { channel, place } = await addChannel(owner, 'ops@example.org, night@example.org');
  const answer = await owner.call(contract.testChannel, place);
  assert.deepEqual([answer.status, answer.answer], [250, '250 kept']);
  await fire(owner, service, channel.id);
  const [test, fired, resolved] = await mailbox.wait(3);
  assert.deepEqual(test!.to, ['ops@example.org', 'night@example.org']);
  const { raw, ...envelope } = fired!;
  const to = ['ops@example.org', 'night@example.org'];
  assert.deepEqual(envelope, { from: 'tapedeck@example.org', to, user: 'me@example.org', isEncrypted: true });
  const delivery = await untilAttempts(owner, 1);
  assert.match(raw, new RegExp(`^Message-ID: <${delivery.messageId}@example\\.org>`, 'im'));
  assert.match(raw, /^Subject: =\?UTF-8\?Q\?=5BFiring=5D_Errors_=E2=80=94_=C3=BCber_\?=\s+=\?UTF-8\?Q\?all/m);
  const parts = readParts(raw);
  for (const type of ['text/plain', 'text/html']) {
    const said = parts.get(type)!.toString();
    assert.match(said, /Errors — über all/, type);
    assert.match(said, /https:\/\/logs\.example\.org\/projects\/default\/logs\?query=fire/, type);
  }
  assert.match(resolved!.raw, /^Subject: =\?UTF-8\?Q\?=5BResolved=5D/m);
  // A delivery with an entry and a chart, as rules leave it.
  await leaveDeliveries(service, { channel: channel.id, rule: 'Lost' });
  const shown = readParts((await mailbox.wait(4))[3]!.raw);
  assert.match(shown.get('text/plain')!.toString(), /lost <b>in<\/b> the hold/);
  assert.match(shown.get('text/html')!.toString(), /lost &lt;b&gt;in/);
  assert.match(shown.get('text/html')!.toString(), /src="cid:chart@tapedeck"/);
  const { format, width } = await sharp(shown.get('image/png')).metadata();
  assert.deepEqual([format, width], ['png', 1_600]);
});

describe('when the server rejects an address', () => {
  const refuse =
    (responseCode: number): NonNullable<SMTPServerOptions['onRcptTo']> =>
    ({ address }, _session, callback) =>
      address.startsWith('good')
        ? callback()
        : callback(Object.assign(new Error('No such mailbox'), { responseCode }));
  const rows = [
    ['permanently, fails the delivery', 550, 'bad@example.org', 'failed', /^550 No such mailbox/],
    ['temporarily, retries', 451, 'bad@example.org', 'pending', /^451 No such mailbox/],
    ['of two, reports it', 550, 'bad@example.org,good@example.org', 'delivered', /bad@example\.org: 550 No/],
  ] as const; // biome-ignore format: a table
  for (const [name, code, target, state, said] of rows) {
    it(name, async () => {
      await using mailbox = await startMailbox({ onRcptTo: refuse(code) });
      await using service = await startWithMail(mailbox);
      const owner = await addPerson(service, { isOwner: true });
      const { channel, place } = await addChannel(owner, target);
      assert.match((await owner.call(contract.testChannel, place)).answer, said);
      await leaveDeliveries(service, { channel: channel.id, rule: 'one' });
      const delivery = await untilAttempts(owner, 1);
      assert.equal(delivery.state, state);
      assert.match(delivery.attempts[0]!.answer, said);
      if (state !== 'pending') return;
      service.clock.advance(6_000);
      assert.equal((await untilAttempts(owner, 2)).state, 'pending');
    });
  }
});

test('retries when a server is down, and delivers once it is back', async () => {
  const stopped = await startMailbox();
  await stopped[Symbol.asyncDispose]();
  await using service = await startWithMail(stopped);
  const owner = await addPerson(service, { isOwner: true });
  const { channel } = await addChannel(owner);
  await leaveDeliveries(service, { channel: channel.id, rule: 'one' });
  const { attempts, messageId } = await untilAttempts(owner, 1);
  assert.deepEqual(attempts[0]!.answer, `127.0.0.1:${stopped.port} refused the connection.`);
  await using mailbox = await startMailbox({}, stopped.port);
  service.clock.advance(6_000);
  const [mail] = await mailbox.wait(1);
  assert.ok(mail!.raw.includes(`<${messageId}@example.org>`));
  assert.equal((await untilAttempts(owner, 2)).state, 'delivered');
});

test('gives up on a silent server, and on a rejected password, which it does not reveal', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  {
    const { port } = silent.address() as AddressInfo; // it listens on a port
    await using service = await startWithMail({ port });
    const owner = await addPerson(service, { isOwner: true });
    const { place } = await addChannel(owner);
    const { status, answer } = await owner.call(contract.testChannel, place);
    assert.deepEqual([status, answer], [null, '127.0.0.1 did not answer within 10 seconds.']);
  }
  silent.close();
  await using strict = await startMailbox({
    authOptional: false,
    onAuth: (_given, _session, callback) => callback(new Error('Another password, please')),
  });
  await using service = await startWithMail(strict);
  const owner = await addPerson(service, { isOwner: true });
  const { channel, place } = await addChannel(owner);
  const { status, answer } = await owner.call(contract.testChannel, place);
  assert.deepEqual([status, /Another password, please/.test(answer)], [535, true]);
  await leaveDeliveries(service, { channel: channel.id, rule: 'one' });
  const delivery = await untilAttempts(owner, 1);
  assert.equal(delivery.state, 'pending', 'the settings may be fixed');
  const said = [JSON.stringify(delivery), answer, ...service.logged].join('\n');
  assert.ok(!said.includes('right-password'), said);
});

test('rejects an email channel without a mail server; an existing one waits for the server', async () => {
  await using directory = await makeDirectory();
  await using mailbox = await startMailbox();
  let id = '';
  {
    await using service = await startWithMail(mailbox, directory.path);
    id = (await addChannel(await addPerson(service, { isOwner: true }))).channel.id;
  }
  await using service = await startTestService({ dataDir: directory.path });
  const owner = await addPerson(service, { isOwner: true });
  const body = { name: 'more', kind: 'email', target: 'ops@example.org' } as const;
  const response = await owner.send(contract.createChannel, { params, body });
  const { error, field } = (await response.json()) as { error: string; field: string };
  assert.deepEqual([response.status, field], [400, 'kind']);
  assert.match(error, /set TAPEDECK_SMTP_URL/);
  const place = { params: { ...params, channel: id } };
  await owner.call(contract.updateChannel, { ...place, body: { name: 'still mine' } });
  assert.match((await owner.call(contract.testChannel, place)).answer, /TAPEDECK_SMTP_URL/);
});

test('rejects invalid addresses and too many of them', async () => {
  await using mailbox = await startMailbox();
  await using service = await startWithMail(mailbox);
  const owner = await addPerson(service, { isOwner: true });
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => `a${index}@example.org`).join(', ');
  const wrong = [
    'ops',
    'ops@',
    'Ops <ops@example.org>',
    'a@example.org;b@example.org',
    'a@example.org,',
    ',',
    'a@example.org b@example.org',
    'a@example.org\r\nBcc: b@example.org',
    '"a,b"@example.org',
    many(11),
    `${'a'.repeat(250)}@example.org`,
  ];
  for (const target of wrong) {
    const body = { name: 'x', kind: 'email', target } as const;
    assert.equal(await owner.refuse(contract.createChannel, { params, body }), '400 invalid_field', target);
  }
  const { channel, place } = await addChannel(owner, many(10));
  assert.equal(channel.target, many(10));
  const changed = { ...place, body: { target: 'nobody' } };
  assert.equal(await owner.refuse(contract.updateChannel, changed), '400 invalid_field');
});
