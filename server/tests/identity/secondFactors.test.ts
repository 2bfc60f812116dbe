/** The second factor: enabled with a code, required at sign-in, used once, rate-limited, and disabled. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { changePassword, finishSignIn, getMe, listMySessions, signIn } from '@tapedeck/contract/accounts';
import { listAudit } from '@tapedeck/contract/audit';
import * as contract from '@tapedeck/contract/secondFactors';
import { getUser, updateUser } from '@tapedeck/contract/users';
import { makeCode, stepAt } from '@tapedeck/values/one-time-codes';
import { makeClient, withCookie } from '../support/client.ts';
import { addPerson, type Person, password } from '../support/people.ts';
import { openDatabaseFile, startQuietService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const visitor = makeClient(service);
const stepMs = 30_000;

type Armed = Person & { secret: string; recoveryCodes: string[] };

async function addArmed(): Promise<Armed> {
  service.clock.advance(60 * 60_000); // clears other tests' wrong attempts
  const person = await addPerson(service);
  const { secret, ticket } = await person.call(contract.beginSecondFactor, { body: { password } });
  const body = { ticket, code: codeOf(secret) };
  const { recoveryCodes } = await person.call(contract.confirmSecondFactor, { body });
  service.clock.advance(stepMs); // the confirming code has been used
  return { ...person, secret, recoveryCodes };
}

function codeOf(secret: string, ahead = 0): string {
  return makeCode(secret, stepAt(service.clock.now()) + ahead);
}

/** Returns a code that is none of the valid ones. */
function wrongCodeOf(secret: string): string {
  const good = [-1, 0, 1].map(ahead => codeOf(secret, ahead));
  return ['000000', '111111', '222222', '333333'].find(code => !good.includes(code))!;
}

async function beginSignIn(email: string): Promise<string> {
  const response = await visitor.send(signIn, { body: { email, password } });
  assert.equal(response.headers.get('set-cookie'), null, 'there is no session yet');
  const answer = (await response.json()) as { status?: string; ticket?: string };
  assert.equal(answer.status, 'second_factor_required');
  return answer.ticket!;
}

test('returns the secret as text and as a URL, and changes nothing until a code confirms it', async () => {
  const person = await addPerson(service);
  const begun = await person.call(contract.beginSecondFactor, { body: { password } });
  assert.match(begun.secret, /^[A-Z2-7]{32}$/);
  const uri = new URL(begun.uri);
  assert.deepEqual(
    [uri.protocol, uri.host, decodeURIComponent(uri.pathname), uri.searchParams.get('secret')],
    ['otpauth:', 'totp', `/Tapedeck:${person.email}`, begun.secret],
  );
  assert.equal((await person.call(contract.getWaysIn)).secondFactor, null);
  const answer = await visitor.call(signIn, { body: { email: person.email, password } });
  assert.ok('user' in answer);
  const wrong = { body: { ticket: begun.ticket, code: wrongCodeOf(begun.secret) } };
  assert.equal(await person.refuse(contract.confirmSecondFactor, wrong), '401 sign_in_failed');
  const right = { body: { ticket: begun.ticket, code: codeOf(begun.secret) } };
  const { recoveryCodes } = await person.call(contract.confirmSecondFactor, right);
  assert.equal(new Set(recoveryCodes).size, 10);
  assert.ok(recoveryCodes.every(code => /^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/.test(code)));
  const { secondFactor, hasPassword } = await person.call(contract.getWaysIn);
  assert.equal(hasPassword, true);
  assert.equal(secondFactor?.recoveryCodes, 10);
  assert.equal(await person.refuse(contract.confirmSecondFactor, right), '410 ticket_expired');
});

describe('enabling it is rejected', () => {
  it('without the password', async () => {
    const person = await addPerson(service);
    const wrong = { body: { password: 'wrong password' } };
    assert.equal(await person.refuse(contract.beginSecondFactor, wrong), '401 sign_in_failed');
  });
  it('when there is one already', async () => {
    const person = await addArmed();
    const body = { password };
    assert.equal(await person.refuse(contract.beginSecondFactor, { body }), '409 second_factor_on');
  });
  it('when another one was confirmed first', async () => {
    const person = await addPerson(service);
    const [one, other] = [
      await person.call(contract.beginSecondFactor, { body: { password } }),
      await person.call(contract.beginSecondFactor, { body: { password } }),
    ];
    const confirm = ({ ticket, secret }: typeof one) => ({ body: { ticket, code: codeOf(secret) } });
    await person.call(contract.confirmSecondFactor, confirm(one));
    assert.equal(await person.refuse(contract.confirmSecondFactor, confirm(other)), '409 second_factor_on');
  });
  it("with a ticket that is another user's, invented, or a quarter of an hour old", async () => {
    const [person, other] = [await addPerson(service), await addPerson(service)];
    const { ticket, secret } = await other.call(contract.beginSecondFactor, { body: { password } });
    const confirm = (text: string) => ({ body: { ticket: text, code: codeOf(secret) } });
    assert.equal(await person.refuse(contract.confirmSecondFactor, confirm(ticket)), '410 ticket_expired');
    for (const text of ['', 'made up', ticket.slice(1), `${ticket.slice(0, -2)}AA`])
      assert.equal(await other.refuse(contract.confirmSecondFactor, confirm(text)), '410 ticket_expired');
    service.clock.advance(15 * 60_000);
    assert.equal(await other.refuse(contract.confirmSecondFactor, confirm(ticket)), '410 ticket_expired');
  });
});

test('signing in requires the code, and the list of sessions shows it', async () => {
  const person = await addArmed();
  const ticket = await beginSignIn(person.email);
  const response = await visitor.send(finishSignIn, { body: { ticket, code: codeOf(person.secret) } });
  assert.equal(response.status, 200, await response.clone().text());
  const cookie = /tapedeck_session=(\w+)/.exec(response.headers.get('set-cookie')!)![1]!;
  const signedIn = withCookie(service, cookie);
  assert.equal((await signedIn.call(getMe)).user?.email, person.email);
  const { sessions } = await signedIn.call(listMySessions);
  assert.equal(sessions.find(({ current }) => current)?.way, 'code');
});

test('accepts a code once, even concurrently, and no earlier code', async () => {
  const person = await addArmed();
  const tickets = await Promise.all([1, 2, 3].map(() => beginSignIn(person.email)));
  const finish = (ticket: string, code: string) => visitor.send(finishSignIn, { body: { ticket, code } });
  const code = codeOf(person.secret);
  const answers = await Promise.all(tickets.map(ticket => finish(ticket, code)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
  const ticket = await beginSignIn(person.email);
  assert.equal((await finish(ticket, codeOf(person.secret, -1))).status, 401);
  service.clock.advance(stepMs);
  assert.equal((await finish(ticket, codeOf(person.secret))).status, 200);
});

test('a ticket works once, for five minutes, and only while the password is unchanged', async () => {
  const person = await addArmed();
  const late = await beginSignIn(person.email);
  service.clock.advance(5 * 60_000);
  const finish = (ticket: string, code = codeOf(person.secret)) => ({ body: { ticket, code } });
  assert.equal(await visitor.refuse(finishSignIn, finish(late)), '410 ticket_expired');
  const used = await beginSignIn(person.email);
  await visitor.call(finishSignIn, finish(used));
  service.clock.advance(stepMs);
  assert.equal(await visitor.refuse(finishSignIn, finish(used)), '410 ticket_expired');
  const outdated = await beginSignIn(person.email);
  await owner.call(updateUser, { params: { user: person.id }, body: { password: 'another password' } });
  service.clock.advance(stepMs);
  assert.equal(await visitor.refuse(finishSignIn, finish(outdated)), '410 ticket_expired');
});

test('a recovery code signs in once, in any spelling', async () => {
  const person = await addArmed();
  const [first = '', second = ''] = person.recoveryCodes;
  const finish = async (code: string) => ({ body: { ticket: await beginSignIn(person.email), code } });
  await visitor.call(finishSignIn, await finish(first));
  assert.equal(await visitor.refuse(finishSignIn, await finish(first)), '401 sign_in_failed');
  await visitor.call(finishSignIn, await finish(` ${second.replaceAll('-', ' ').toUpperCase()} `));
  assert.equal((await person.call(contract.getWaysIn)).secondFactor?.recoveryCodes, 8);
});

test('guessing codes is throttled, although the password is right each time', async () => {
  const person = await addArmed();
  const codes: string[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    const body = { ticket: await beginSignIn(person.email), code: wrongCodeOf(person.secret) };
    codes.push(await visitor.refuse(finishSignIn, { body }));
  }
  assert.deepEqual(codes, [...Array(5).fill('401 sign_in_failed'), '429 sign_in_slowed']);
  const both = { body: { password, code: codeOf(person.secret) } };
  assert.equal(await person.refuse(contract.disableSecondFactor, both), '429 sign_in_slowed');
  assert.equal(await person.refuse(contract.renewRecoveryCodes, both), '429 sign_in_slowed');
  service.clock.advance(60_000);
  const body = { ticket: await beginSignIn(person.email), code: codeOf(person.secret) };
  await visitor.call(finishSignIn, { body });
});

test('confirming is throttled, and so is the password check before it', async () => {
  service.clock.advance(60 * 60_000);
  const person = await addPerson(service);
  const { secret, ticket } = await person.call(contract.beginSecondFactor, { body: { password } });
  const wrong = { body: { ticket, code: wrongCodeOf(secret) } };
  for (let tries = 0; tries < 5; tries += 1)
    assert.equal(await person.refuse(contract.confirmSecondFactor, wrong), '401 sign_in_failed');
  assert.equal(await person.refuse(contract.confirmSecondFactor, wrong), '429 sign_in_slowed');
  const guess = { body: { password: 'wrong password' } };
  for (let tries = 0; tries < 5; tries += 1)
    assert.equal(await person.refuse(contract.beginSecondFactor, guess), '401 sign_in_failed');
  assert.equal(await person.refuse(contract.beginSecondFactor, guess), '429 sign_in_slowed');
});

test('new recovery codes require password and code, and invalidate the old ones', async () => {
  const person = await addArmed();
  const renew = (given: { password: string; code: string }) => ({ body: given });
  const code = codeOf(person.secret);
  const wrong = renew({ password: 'wrong password', code });
  assert.equal(await person.refuse(contract.renewRecoveryCodes, wrong), '401 sign_in_failed');
  const { recoveryCodes } = await person.call(contract.renewRecoveryCodes, renew({ password, code }));
  const ticket = await beginSignIn(person.email);
  const old = { body: { ticket, code: person.recoveryCodes[0]! } };
  assert.equal(await visitor.refuse(finishSignIn, old), '401 sign_in_failed');
  await visitor.call(finishSignIn, { body: { ticket, code: recoveryCodes[0]! } });
  const bare = await addPerson(service);
  assert.equal(await bare.refuse(contract.renewRecoveryCodes, renew({ password, code })), '404 not_found');
});

test('disabling it requires password and code', async () => {
  const person = await addArmed();
  const off = (given: { password: string; code: string }) => ({ body: given });
  const code = wrongCodeOf(person.secret);
  assert.equal(
    await person.refuse(contract.disableSecondFactor, off({ password, code })),
    '401 sign_in_failed',
  );
  await person.call(contract.disableSecondFactor, off({ password, code: codeOf(person.secret) }));
  assert.ok('user' in (await visitor.call(signIn, { body: { email: person.email, password } })));
  const again = off({ password, code });
  assert.equal(await person.refuse(contract.disableSecondFactor, again), '404 not_found');
});

test('an owner or the command line can disable it for a user who lost it', async () => {
  for (const how of ['owner', 'command line']) {
    const person = await addArmed();
    const params = { user: person.id };
    assert.equal((await owner.call(getUser, { params })).hasSecondFactor, true);
    if (how === 'owner') await owner.call(contract.resetSecondFactor, { params });
    else {
      const environment = { TAPEDECK_DATA_DIR: service.dataDir };
      const printed = await tapedeck(['user', 'second-factor-off', '--email', person.email], environment);
      assert.match(printed, /signs in by password alone/);
    }
    assert.equal((await owner.call(getUser, { params })).hasSecondFactor, false);
    assert.ok('user' in (await visitor.call(signIn, { body: { email: person.email, password } })));
    assert.equal(await owner.refuse(contract.resetSecondFactor, { params }), '404 not_found');
  }
  const { entries } = await owner.call(listAudit);
  const resets = entries
    .filter(({ action }) => action === 'user.second_factor_reset')
    .map(({ actor }) => actor);
  assert.deepEqual(resets.toSorted(), ['command line', `user ${owner.email}`]);
});

test('neither the database nor log lines contain the secret or codes in plain text', async () => {
  const person = await addArmed();
  using database = openDatabaseFile(service);
  const rows = ['second_factors', 'recovery_codes', 'audit_entries']
    .map(table => JSON.stringify(database.prepare(`SELECT * FROM ${table}`).all()))
    .join();
  const shown = rows + service.logged.join();
  for (const text of [
    person.secret,
    ...person.recoveryCodes,
    ...person.recoveryCodes.map(code => code.replaceAll('-', '')),
  ])
    assert.ok(!shown.includes(text));
});

test('a signed-in user changes the password without a code, and the factor stays', async () => {
  const person = await addArmed();
  const body = { currentPassword: password, newPassword: 'another password' };
  await person.call(changePassword, { body });
  assert.notEqual((await person.call(contract.getWaysIn)).secondFactor, null);
});
