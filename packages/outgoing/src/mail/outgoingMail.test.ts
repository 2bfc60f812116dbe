/** Tests mails against a real SMTP server on this machine: the received mail, and the errors. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { describe, it, test } from 'node:test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type Mail, OutgoingMail } from './outgoingMail.ts';
import { readServer } from './servers.ts';

const from = { name: 'Tapedeck', address: 'tapedeck@example.org' };
const picture = { cid: 'chart@tapedeck', contentType: 'image/png', content: Uint8Array.of(137, 80, 78, 71) };
const mail: Mail = {
  to: ['ops@example.org'],
  subject: 'Errors — über',
  text: 'Plain.',
  html: '<p>Rich <img src="cid:chart@tapedeck"></p>',
  pictures: [picture],
  messageId: 'msg_1@example.org',
};

type Received = { to: string[]; from: string; raw: string; user: string | undefined; isEncrypted: boolean };
type Started = AsyncDisposable & { port: number; received: Received[] };

async function startMailServer(options: SMTPServerOptions = {}): Promise<Started> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData: (stream, session, callback) => {
      void readText(stream).then(raw => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          raw,
          isEncrypted: session.secure,
          user: session.user as string | undefined, // set when signed in below
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
        });
        callback(null, 'kept as 7');
      });
    },
    ...options,
  });
  server.on('error', () => {}); // from connections that the other side ended
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo; // the server listens on a port, not on a socket's path
  return {
    port,
    received,
    [Symbol.asyncDispose]: () => new Promise(resolve => server.close(() => resolve())),
  };
}

function openMail(url: string, timeMsMax?: number): OutgoingMail {
  const server = readServer(url);
  assert.ok(server !== null);
  return new OutgoingMail({ server, from, ...(timeMsMax === undefined ? {} : { timeMsMax }) });
}

test('a mail arrives with its text, HTML and picture', async () => {
  await using server = await startMailServer();
  const answer = await openMail(`smtp://127.0.0.1:${server.port}`).send(mail);
  assert.deepEqual(answer, { outcome: 'taken', status: 250, answer: '250 kept as 7' });
  const [arrived] = server.received;
  assert.deepEqual([arrived?.from, arrived?.to], ['tapedeck@example.org', ['ops@example.org']]);
  assert.ok(arrived?.isEncrypted, 'STARTTLS was offered');
  const { raw } = arrived;
  for (const part of [
    'From: Tapedeck <tapedeck@example.org>',
    'To: ops@example.org',
    'Message-ID: <msg_1@example.org>',
    'Auto-Submitted: auto-generated',
    'multipart/alternative',
    'Content-Id: <chart@tapedeck>',
    Buffer.from(picture.content).toString('base64'),
  ]) {
    assert.ok(raw.toLowerCase().includes(part.toLowerCase()), `${part} in ${raw}`);
  }
  assert.match(raw, /^Subject: =\?UTF-8\?/m);
});

describe('signing in', () => {
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, callback) =>
    password === 'right'
      ? callback(null, { user: username })
      : callback(new Error('Invalid user or password'));

  it('uses the credentials of the URL', async () => {
    await using server = await startMailServer({ authOptional: false, onAuth });
    await openMail(`smtp://me%40example.org:right@127.0.0.1:${server.port}`).send(mail);
    assert.deepEqual([server.received[0]?.user, server.received[0]?.isEncrypted], ['me@example.org', true]);
  });

  it('a wrong password can be retried and is not revealed', async () => {
    await using server = await startMailServer({ authOptional: false, onAuth });
    const answer = await openMail(`smtp://me:hunter2@127.0.0.1:${server.port}`).send(mail);
    assert.deepEqual([answer.outcome, answer.status], ['failed', 535]);
    assert.match(answer.answer, /Invalid user or password/);
    assert.doesNotMatch(answer.answer, /hunter2/);
  });

  it('sends no password unencrypted if encryption is required', async () => {
    await using server = await startMailServer({ disabledCommands: ['STARTTLS'], onAuth });
    const answer = await openMail(`smtp://me:right@127.0.0.1:${server.port}?requireTLS=true`).send(mail);
    assert.deepEqual([answer.outcome, server.received.length], ['failed', 0]);
    assert.match(answer.answer, /could not be encrypted/);
  });

  it('rejects an unsigned certificate if verification is required', async () => {
    await using server = await startMailServer();
    const answer = await openMail(`smtp://127.0.0.1:${server.port}?tls.rejectUnauthorized=true`).send(mail);
    assert.deepEqual([answer.outcome, server.received.length], ['failed', 0]);
    assert.match(answer.answer, /could not be encrypted: .*certificate/i);
  });
});

test('encrypts from the first byte', async () => {
  await using server = await startMailServer({ secure: true });
  assert.equal((await openMail(`smtps://127.0.0.1:${server.port}`).send(mail)).outcome, 'taken');
  assert.ok(server.received[0]?.isEncrypted);
});

describe('refusals by the server', () => {
  const rows: [string, number, string][] = [
    ['for good', 550, 'refused'],
    ['for now', 451, 'failed'],
  ];
  for (const [name, status, outcome] of rows) {
    it(name, async () => {
      const refusal = Object.assign(new Error('No such mailbox'), { responseCode: status });
      await using server = await startMailServer({
        onRcptTo: (_address, _session, callback) => callback(refusal),
      });
      const answer = await openMail(`smtp://127.0.0.1:${server.port}`).send(mail);
      assert.deepEqual([answer.outcome, answer.status], [outcome, status]);
      assert.match(answer.answer, /No such mailbox/);
    });
  }
});

describe('without a response', () => {
  it('nothing listens', async () => {
    const answer = await openMail('smtp://127.0.0.1:1').send(mail);
    assert.deepEqual(answer, {
      outcome: 'failed',
      status: null,
      answer: '127.0.0.1:1 refused the connection.',
    });
  });

  it('the host is unknown', async () => {
    const answer = await openMail('smtp://nobody.invalid').send(mail);
    assert.match(answer.answer, /Could not find the mail server nobody\.invalid:587/);
  });

  it('a silent server times out, and stopping does not wait for it', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // as above
    const answer = await openMail(`smtp://127.0.0.1:${port}`, 200).send(mail);
    assert.deepEqual(
      [answer.outcome, answer.answer],
      ['failed', '127.0.0.1 did not answer within 0.2 seconds.'],
    );
    const stopping = new AbortController();
    const sent = openMail(`smtp://127.0.0.1:${port}`).send(mail, stopping.signal);
    silent.once('connection', () => stopping.abort(new Error('stopping')));
    await assert.rejects(sent, /stopping/);
    silent.close();
  });

  it('the server does not speak SMTP', async () => {
    const other = createServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // as above
    assert.equal((await openMail(`smtp://127.0.0.1:${port}`).send(mail)).outcome, 'failed');
    other.close();
  });
});

test('texts cannot add headers or recipients, or read files', async () => {
  await using server = await startMailServer();
  const evil = 'a\r\nBcc: evil@example.org\r\n\r\nbody';
  await openMail(`smtp://127.0.0.1:${server.port}`).send({ ...mail, subject: evil, messageId: evil });
  await openMail(`smtp://127.0.0.1:${server.port}`).send({
    ...mail,
    to: ['ops@example.org, evil@example.org'],
  });
  for (const { raw, to } of server.received) {
    assert.ok(!to.includes('evil@example.org'), to.join());
    const [head] = raw.split('\r\n\r\n');
    assert.doesNotMatch(head!, /^Bcc:/im);
  }
});
