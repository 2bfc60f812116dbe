/** Checks signatures with the package that receivers use. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { events, fired, hostileEvents } from '../tests/examples.ts';
import { makeSecret } from './signatures.ts';
import { composeWebhook } from './webhook.ts';

const [secret, formerSecret] = [makeSecret(), makeSecret()];
const sending = () => ({ id: 'msg_1', sentAt: Date.now(), secrets: [secret, formerSecret] });

describe('receivers accept signed messages', () => {
  for (const event of [...events, ...hostileEvents.slice(0, 12)]) {
    it(event.type, () => {
      const { headers, body } = composeWebhook(event, sending());
      for (const held of [secret, formerSecret]) {
        const read = new Webhook(held).verify(String(body), { ...headers }) as {
          type: string;
          timestamp: string;
        };
        assert.deepEqual([read.type, Date.parse(read.timestamp)], [event.type, event.at]);
      }
    });
  }
});

test('rejects messages that were changed or signed with another secret', () => {
  const { headers, body } = composeWebhook(fired, sending());
  assert.throws(() => new Webhook(secret).verify(`${body} `, { ...headers }), /signature/i);
  assert.throws(() => new Webhook(makeSecret()).verify(String(body), { ...headers }), /signature/i);
  assert.throws(
    () => new Webhook(secret).verify(String(body), { ...headers, 'webhook-id': 'msg_2' }),
    /signature/i,
  );
});

test('a retry keeps id and body, and has the time of the attempt', () => {
  const first = composeWebhook(fired, { ...sending(), sentAt: 1_700_000_000_000 });
  const second = composeWebhook(fired, { ...sending(), sentAt: 1_700_000_005_999 });
  assert.equal(first.body, second.body);
  assert.equal(first.headers['webhook-id'], second.headers['webhook-id']);
  assert.deepEqual(
    [first, second].map(({ headers }) => headers['webhook-timestamp']),
    ['1700000000', '1700000005'],
  );
});

test('the data describes what fired', () => {
  const { data } = JSON.parse(String(composeWebhook(fired, sending()).body));
  assert.equal(data.rule.name, 'Server errors');
  assert.deepEqual([data.count, data.value, data.resolvedAt], [1_164, null, null]);
  assert.equal(data.entries.length, 3);
  assert.deepEqual(data.windows.counts, fired.windows?.counts);
});

test('secrets are long and unique', () => {
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(secret, formerSecret);
});
