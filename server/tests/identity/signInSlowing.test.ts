/** Guessing passwords is slow by every route; signing in with the right one is not. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { signIn } from '@tapedeck/contract/accounts';
import { makeClient } from '../support/client.ts';
import { addPerson, password } from '../support/people.ts';
import { startQuietService, type TestService } from '../support/service.ts';

const wrong = 'wrong password';
const forgottenMs = 3_600_000;
const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
beforeEach(() => service.clock.advance(forgottenMs)); // the last test proves that this is long enough

test('checks at most the five free guesses of twenty concurrent ones', async () => {
  const { email } = await addPerson(service);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => attempt(service, { email, given: wrong })),
  );
  assert.deepEqual(count(answers), { 401: 5, 429: 15 });
});

test('two services on one database share counts, and a restart keeps them', async () => {
  const { email } = await addPerson(service);
  const { clock } = service;
  await using other = await startQuietService({ besides: service, clock });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => attempt(index % 2 ? service : other, { email, given: wrong })),
  );
  assert.deepEqual(count(answers), { 401: 5, 429: 7 });
  await using restarted = await startQuietService({ besides: service, clock });
  assert.equal((await attempt(restarted, { email, given: wrong })).status, 429);
});

test('the wait doubles up to a minute, is reported, and further guesses do not extend it', async () => {
  const { email } = await addPerson(service);
  for (let free = 0; free < 5; free += 1) await attempt(service, { email, given: wrong });
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    for (const given of [wrong, password]) {
      const refused = await attempt(service, { email, given });
      assert.equal(refused.status, 429);
      assert.equal(Number(refused.headers.get('retry-after')), seconds);
    }
    service.clock.advance(seconds * 1000);
    assert.equal((await attempt(service, { email, given: wrong })).status, 401);
  }
});

test('the right password, after the wait, unlocks the account', async () => {
  const { email } = await addPerson(service);
  for (let tries = 0; tries < 6; tries += 1) await attempt(service, { email, given: wrong });
  service.clock.advance(60_000);
  assert.equal((await attempt(service, { email, given: password })).status, 200);
  for (let free = 0; free < 5; free += 1) {
    assert.equal((await attempt(service, { email, given: wrong })).status, 401);
  }
});

test('a clock that was ahead and is set right locks nobody out', async () => {
  const { email } = await addPerson(service);
  const ahead = 48 * forgottenMs;
  service.clock.advance(ahead);
  for (let tries = 0; tries < 6; tries += 1) await attempt(service, { email, given: wrong });
  service.clock.advance(-ahead);
  assert.equal((await attempt(service, { email, given: wrong })).status, 401);
  assert.equal((await attempt(service, { email, given: password })).status, 429);
  service.clock.advance(60_000);
  assert.equal((await attempt(service, { email, given: password })).status, 200);
});

test('an unknown address is throttled like a known one', async () => {
  const answers: number[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    answers.push((await attempt(service, { email: 'nobody@example.org', given: wrong })).status);
  }
  assert.deepEqual(answers, [401, 401, 401, 401, 401, 429]);
});

test('one network address may guess at twenty accounts; others are not affected', async () => {
  const people = await Promise.all(Array.from({ length: 22 }, () => addPerson(service)));
  const from = '198.51.100.7';
  for (const [index, { email }] of people.slice(0, 21).entries()) {
    const { status } = await attempt(service, { email, given: wrong, from });
    assert.equal(status, index < 20 ? 401 : 429, `guess ${index + 1}`);
  }
  const last = people[21]!.email;
  assert.equal((await attempt(service, { email: last, given: password, from })).status, 429);
  assert.equal((await attempt(service, { email: last, given: password, from: '198.51.100.8' })).status, 200);
});

test('all addresses of one IPv6 /64 count as one client, those of the next do not', async () => {
  const people = await Promise.all(Array.from({ length: 22 }, () => addPerson(service)));
  for (const [index, { email }] of people.slice(0, 21).entries()) {
    const { status } = await attempt(service, { email, given: wrong, from: `2001:db8:0:7::${index}:1` });
    assert.equal(status, index < 20 ? 401 : 429, `guess ${index + 1}`);
  }
  const last = people[21]!.email;
  const sameNet = { email: last, given: password, from: '2001:DB8::7:ffff:0:0:1' };
  assert.equal((await attempt(service, sameNet)).status, 429);
  const nextNet = { email: last, given: password, from: '2001:db8:0:8::1' };
  assert.equal((await attempt(service, nextNet)).status, 200);
});

test('forgets failures an hour after the last one', async () => {
  const { email } = await addPerson(service);
  for (let tries = 0; tries < 6; tries += 1) await attempt(service, { email, given: wrong });
  service.clock.advance(forgottenMs);
  for (let free = 0; free < 5; free += 1) {
    assert.equal((await attempt(service, { email, given: wrong })).status, 401);
  }
});

/** `from` is the client address that a local proxy reports. */
async function attempt(
  service: TestService,
  { email, given, from }: { email: string; given: string; from?: string },
): Promise<Response> {
  const headers: Record<string, string> = from === undefined ? {} : { 'x-forwarded-for': from };
  const response = await makeClient(service).send(signIn, { body: { email, password: given }, headers });
  await response.arrayBuffer();
  return response;
}

function count(answers: readonly Response[]): Record<number, number> {
  const byStatus = Object.groupBy(answers, ({ status }) => status);
  return Object.fromEntries(Object.entries(byStatus).map(([status, same]) => [status, same?.length ?? 0]));
}
