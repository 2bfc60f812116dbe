/** Letters of each kind to servers of this machine: what arrives, and what becomes of the attempt. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, it, test } from 'node:test';
import type { ToldEvent } from '@tapedeck/notifications';
import { makeSecret } from '@tapedeck/notifications';
import { readServer } from '@tapedeck/outgoing-mail';
import sharp from 'sharp';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../domain/ports/clock.ts';
import { openTeller } from '../../domain/telling/letters.ts';
import { openSharpPainter } from '../images/sharpPainter.ts';
import { openPostman } from './postman.ts';

const at = Date.parse('2026-11-23T04:12:00Z');
const event: ToldEvent = {
  ...{ type: 'rule.fired', at, firedAt: at, project: 'default', url: 'http://localhost:8787/' },
  rule: {
    ...{ id: '1', name: 'Errors', kind: 'count', query: 'level:error', dataset: null, by: null },
    ...{ condition: { op: '>=', value: 3 }, windowSeconds: 60 },
  },
  ...{ value: null, count: 5, entries: [{ at, level: 'error', resource: null, message: 'lost' }] },
  windows: { endAt: at, windowMs: 60_000, counts: [0, 1, 5] },
};
const sending = { event, id: 'msg_1', sentAt: Date.now() };
const signal = new AbortController().signal;

type Received = { headers: IncomingHttpHeaders; body: Buffer };
type Answer = { status: number; headers?: Record<string, string>; body?: string };

async function startReceiver(
  answer: Answer,
): Promise<AsyncDisposable & { url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then(body => {
      received.push({ headers: request.headers, body });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port, not on a socket's path
  return {
    ...{ url: `http://127.0.0.1:${port}/hook/secret`, received },
    [Symbol.asyncDispose]: () => new Promise(resolve => server.close(() => resolve())),
  };
}

const painter = openSharpPainter();
const openTrusting = (mail: Parameters<typeof openPostman>[0]['mail'] = null) =>
  openPostman({ allowsPrivate: true, mail, clock: systemClock });
const tell = openTeller({ painter, postman: openTrusting() });

describe('letters arrive', () => {
  it('at Discord with the chart', async () => {
    await using receiver = await startReceiver({ status: 204 });
    const receipt = await tell({ kind: 'discord', target: receiver.url, secrets: [] }, sending, signal);
    assert.deepEqual(receipt, { outcome: 'delivered', status: 204, answer: '', retryAfterMs: null });
    const { headers, body } = receiver.received[0]!;
    assert.match(headers['user-agent'] ?? '', /^Tapedeck\//);
    const type = headers['content-type'] ?? '';
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    const file = form.get('files[0]');
    assert.ok(file instanceof File);
    const { format, width } = await sharp(await file.arrayBuffer()).metadata();
    assert.deepEqual([format, width], ['png', 1_600]);
  });

  it('at Slack', async () => {
    await using receiver = await startReceiver({ status: 200, body: 'ok' });
    const receipt = await tell({ kind: 'slack', target: receiver.url, secrets: [] }, sending, signal);
    assert.deepEqual([receipt.outcome, receipt.answer], ['delivered', 'ok']);
    assert.match(JSON.parse(String(receiver.received[0]?.body)).text, /Errors/);
  });

  it('at programs, signed', async () => {
    await using receiver = await startReceiver({ status: 200 });
    const secrets = [makeSecret(), makeSecret()];
    await tell({ kind: 'webhook', target: receiver.url, secrets }, sending, signal);
    const { headers, body } = receiver.received[0]!;
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const signed = Object.fromEntries(names.map(name => [name, String(headers[name])]));
    for (const secret of secrets) assert.ok(new Webhook(secret).verify(String(body), signed));
  });

  it('in a mailbox', async () => {
    const arrived: string[] = [];
    const server = new SMTPServer({
      ...{ authOptional: true, logger: false },
      onData: (stream, _session, callback) => {
        void buffer(stream).then(raw => {
          arrived.push(String(raw));
          callback();
        });
      },
    });
    const listening = server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo; // as above
    const mailServer = readServer(`smtp://127.0.0.1:${port}`);
    assert.ok(mailServer !== null);
    const from = { name: 'Tapedeck', address: 'tapedeck@example.org' };
    // The mail server may be private although targets may not.
    const postman = openPostman({
      allowsPrivate: false,
      mail: { server: mailServer, from },
      clock: systemClock,
    });
    const target = { kind: 'email', target: 'ops@example.org', secrets: [] } as const;
    const receipt = await openTeller({ painter, postman })(target, sending, signal);
    assert.deepEqual([receipt.outcome, receipt.status], ['delivered', 250]);
    assert.match(arrived[0] ?? '', /^Message-ID: <msg_1@example\.org>/m);
    await new Promise<void>(resolve => server.close(resolve));
  });
});

describe('what becomes of an attempt', () => {
  const rows: [Answer, string, number | null][] = [
    [{ status: 299 }, 'delivered', null],
    [{ status: 301, headers: { location: 'http://127.0.0.1:1/' } }, 'refused', null],
    [{ status: 404, headers: { 'retry-after': '5' } }, 'refused', null],
    [{ status: 410 }, 'refused', null],
    [{ status: 500 }, 'later', null],
    [{ status: 503, headers: { 'retry-after': '7' } }, 'later', 7_000],
    [{ status: 429, body: '{"retry_after":1.5}' }, 'later', 1_500],
  ];
  for (const [answer, outcome, retryAfterMs] of rows) {
    it(`${answer.status} is ${outcome}`, async () => {
      await using receiver = await startReceiver(answer);
      const receipt = await tell({ kind: 'slack', target: receiver.url, secrets: [] }, sending, signal);
      assert.deepEqual(
        [receipt.outcome, receipt.status, receipt.retryAfterMs],
        [outcome, answer.status, retryAfterMs],
      );
    });
  }

  it('of a long answer the first KiB is told', async () => {
    await using receiver = await startReceiver({ status: 500, body: 'x'.repeat(5_000) });
    const receipt = await tell({ kind: 'slack', target: receiver.url, secrets: [] }, sending, signal);
    assert.equal(receipt.answer, 'x'.repeat(1_024));
  });

  it('nobody there is later, and the address stays a secret', async () => {
    const target = { kind: 'slack', target: 'http://127.0.0.1:1/hook/secret', secrets: [] } as const;
    const receipt = await tell(target, sending, signal);
    assert.deepEqual([receipt.outcome, receipt.status], ['later', null]);
    assert.doesNotMatch(receipt.answer, /secret/);
  });

  it('a private address is refused, and nothing is sent there', async () => {
    await using receiver = await startReceiver({ status: 200 });
    const guarded = openTeller({
      painter,
      postman: openPostman({ allowsPrivate: false, mail: null, clock: systemClock }),
    });
    const receipt = await guarded({ kind: 'webhook', target: receiver.url, secrets: [] }, sending, signal);
    assert.deepEqual([receipt.outcome, receiver.received.length], ['refused', 0]);
  });

  it('a mail without a server waits for one', async () => {
    const receipt = await tell({ kind: 'email', target: 'ops@example.org', secrets: [] }, sending, signal);
    assert.equal(receipt.outcome, 'later');
    assert.match(receipt.answer, /TAPEDECK_SMTP_URL/);
  });
});

test('targets are checked before anything is sent', () => {
  const postman = openPostman({ allowsPrivate: false, mail: null, clock: systemClock });
  const wrong = ['ftp://example.org', 'example.org', 'http://127.0.0.1/', 'http://[::ffff:10.0.0.1]/'];
  for (const target of wrong) {
    assert.throws(() => postman.check('http', target), { code: 'invalid_field', field: 'target' }, target);
  }
  postman.check('http', 'https://example.org/hook');
  assert.throws(() => postman.check('mail', 'ops@example.org'), /TAPEDECK_SMTP_URL/);
});
