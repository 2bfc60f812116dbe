/** Password hashes: salted, verified, and never too many at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPasswords } from './passwords.ts';

const passwords = openPasswords();

/** A hash in the service's format, at a thousandth of the cost. */
const cheap = 'scrypt$16$1$1$c2FsdHNhbHRzYWx0c2FsdA$qQLJc2ow3ZULWQ8DLpSO1Cqnp4QbJ4RGOxLdTeBGiKo';

test('a hash matches its password in any Unicode form, and no other password', async () => {
  const hash = await passwords.hash('caf\u00e9 horse battery', 'somebody');
  assert.match(hash, /^scrypt\$65536\$8\$2\$[\w-]{22}\$[\w-]{43}$/);
  assert.ok(await passwords.isRight('caf\u0065\u0301 horse battery', hash, 'somebody'));
  assert.ok(!(await passwords.isRight('cafe horse battery', hash, 'somebody')));
});

test('hashes the same password differently each time', async () => {
  const [one, other] = await Promise.all([
    passwords.hash('the same one', 'somebody'),
    passwords.hash('the same one', 'somebody'),
  ]);
  assert.notEqual(one, other);
});

test('an invalid hash matches nothing', async () => {
  for (const stored of [null, '', 'nonsense', 'scrypt$16$1$1$salt', cheap.replace('$16$', '$0$')]) {
    assert.equal(await passwords.isRight('', stored, 'somebody'), false, String(stored));
  }
});

test('queues concurrent hashing; rejects callers beyond the queue and tells them to retry', async () => {
  const attempts = Array.from({ length: 60 }, () => passwords.isRight('wrong', cheap, 'somebody'));
  const results = await Promise.allSettled(attempts);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 50);
  for (const result of results.filter(({ status }) => status === 'rejected')) {
    assert.ok(result.status === 'rejected' && result.reason.code === 'overloaded');
  }
  assert.equal(
    await passwords.isRight('wrong', cheap, 'somebody'),
    false,
    'accepts callers again afterwards',
  );
});

test('one address cannot take the whole queue, and queues again once one of its hashes is done', async () => {
  const crowd = Array.from({ length: 60 }, () => passwords.isRight('wrong', cheap, '2001:db8:0:1::/64'));
  const done: string[] = [];
  const settled = Promise.allSettled(crowd);
  const others = ['192.0.2.1', '2001:db8:0:2::/64'].map(async holder => {
    assert.equal(await passwords.isRight('wrong', cheap, holder), false);
    done.push(holder);
  });
  const last = settled.then(results => {
    done.push('the crowd');
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 48);
  });
  await Promise.all([...others, last]);
  assert.equal(done.at(-1), 'the crowd');
});
