/** Sign-ins while the account changes: each pauses between check and session, and must not open the changed account. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as passkeys from '@tapedeck/domain/identity/passkeys';
import type { UserPrincipal } from '@tapedeck/domain/identity/principals';
import * as factors from '@tapedeck/domain/identity/secondFactors';
import { finishSignIn, type NewSession, type SignedIn, signIn } from '@tapedeck/domain/identity/signIn';
import type { MetadataStore, Records, User } from '@tapedeck/domain/ports/metadata';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { makeCode, stepAt } from '@tapedeck/values/one-time-codes';
import { newId } from '@tapedeck/values/random-ids';
import { passkeyChecks } from '../../src/stores/passkeys/passkeyChecks.ts';
import { makeAuthenticator } from './authenticators.ts';
import { cheapPasswords } from './cheapPasswords.ts';
import { password, passwordHash } from './people.ts';
import { makeStoppedClock } from './service.ts';

const place = { origin: 'http://localhost:8787', host: 'localhost' };
const visitor = { address: '192.0.2.1', userAgent: 'test' };
const stepMs = 30_000;

type Deps = passkeys.PasskeyDeps & { clock: ReturnType<typeof makeStoppedClock> };
type Meanwhile = (deps: Deps, user: User) => Promise<unknown>;
type Row = readonly [meanwhile: string, change: Meanwhile, outcome: string];

const change =
  (work: (records: Records, user: User) => Promise<unknown>): Meanwhile =>
  ({ store }, user) =>
    store.manage(records => work(records, user));

const changePassword = change(({ users }, user) => users.update({ ...user, passwordHash: 'another' }));
const removeUser = change(({ users }, { id }) => users.remove(id));
const changeEmail = change(({ users }, user) => users.update({ ...user, email: `new-${user.email}` }));
const resetFactor = change(({ secondFactors }, { id }) => secondFactors.remove(id));
const renewCodes = change(({ secondFactors }, { id }) => secondFactors.replaceRecoveryCodes(id, []));
const endSessions = change(({ signIns }, { id }) => signIns.removeSessionsOfUser(id, null));
const removePasskeys = change(async records => {
  for (const { id, userId } of await listPasskeys(records)) await records.passkeys.remove(userId, id);
});
const countFurther = change(async records => {
  const usedAt = 1;
  for (const { id } of await listPasskeys(records))
    await records.passkeys.recordUse(id, { counter: 9, usedAt });
});
const armAnew: Meanwhile = async (deps, user) => {
  await resetFactor(deps, user);
  await arm(deps, await principalOf(deps, user));
};

const passwordRows: readonly Row[] = [
  ['the password changes', changePassword, 'sign_in_failed'],
  ['the email address changes', changeEmail, 'sign_in_failed'],
  ['the user is removed', removeUser, 'sign_in_failed'],
  ['a second factor is enabled', armAnew, 'second factor'],
  ['nothing changes', async () => undefined, 'session'],
];
const codeRows: readonly Row[] = [
  ['the password changes', changePassword, 'ticket_expired'],
  ['the second factor is reset', resetFactor, 'ticket_expired'],
  ['the user is removed', removeUser, 'ticket_expired'],
  ['the second factor changes', armAnew, 'sign_in_failed'],
  ['nothing changes', async () => undefined, 'session'],
];
const recoveryRows: readonly Row[] = [
  ['the recovery codes are renewed', renewCodes, 'sign_in_failed'],
  ['nothing changes', async () => undefined, 'session'],
];
const passkeyRows: readonly Row[] = [
  ['the passkey is removed', removePasskeys, 'sign_in_failed'],
  ['the user is removed', removeUser, 'sign_in_failed'],
  ['a copy of the passkey has a higher counter', countFurther, 'sign_in_failed'],
  ['nothing changes', async () => undefined, 'session'],
];
const sessionRows: readonly Row[] = [
  ['the session ends', endSessions, 'session_missing'],
  ['the user is removed', removeUser, 'session_missing'],
];

type Run = (user: User, meanwhile: () => Promise<unknown>) => Promise<SignedIn | NewSession | string>;
type TestRows = (title: string, rows: readonly Row[], run: Run) => void;

export function testSignInRaces(name: string, store: MetadataStore): void {
  after(() => store[Symbol.asyncDispose]());
  const deps: Deps = {
    store,
    clock: makeStoppedClock(),
    announceChange: async () => undefined,
    passwords: cheapPasswords,
    secret: 'secret',
    address: { publicUrl: place.origin },
    passkeyChecks,
  };
  const testRows: TestRows = (title, rows, run) => {
    for (const row of rows) it(`${title} while ${row[0]}: ${row[2]}`, () => testRow(deps, row, run));
  };
  describe(`${name}: signing in`, () => testSignIns(deps, testRows));
  describe(`${name}: another sign-in method`, () => testFurtherWays(deps, testRows));
}

async function testRow(deps: Deps, [, changeAccount, expected]: Row, run: Run): Promise<void> {
  deps.clock.advance(60 * 60_000); // clears other rows' wrong attempts
  const user = await addUser(deps);
  let changes = 0;
  const outcome = run(user, async () => {
    if (changes++ === 0) await changeAccount(deps, user);
  });
  assert.equal(await outcome.then(nameOutcome, nameRefusal), expected);
  assert.ok(changes > 0, 'the change came in between');
  const sessions = await deps.store.read.signIns.listSessionsOfUser(user.id);
  const opened = sessions.filter(({ way }) => way !== 'set_up');
  assert.equal(opened.length, expected === 'session' ? 1 : 0);
}

function testSignIns(deps: Deps, testRows: TestRows): void {
  testRows('by password', passwordRows, (user, meanwhile) =>
    signIn(afterFindingUser(deps, meanwhile), visitor, { email: user.email, password }),
  );
  testRows('by code', codeRows, async (user, meanwhile) => {
    const { secret } = await arm(deps, await principalOf(deps, user));
    const { ticket, code } = { ticket: await earnTicket(deps, user), code: codeOf(deps, secret) };
    return finishSignIn(afterFindingFactor(deps, meanwhile), visitor, { ticket, code });
  });
  testRows('by recovery code', recoveryRows, async (user, meanwhile) => {
    const { recoveryCodes } = await arm(deps, await principalOf(deps, user));
    const given = { ticket: await earnTicket(deps, user), code: recoveryCodes[0]! };
    return finishSignIn(afterFindingFactor(deps, meanwhile), visitor, given);
  });
  testRows('by passkey', passkeyRows, async (user, meanwhile) => {
    await removePasskeys(deps, user); // left by other rows
    const authenticator = makeAuthenticator(place);
    const principal = await principalOf(deps, user);
    await register(deps, principal, authenticator);
    const { ticket, options } = passkeys.beginPasskeySignIn(deps);
    const given = { ticket, credential: authenticator.signIn(options.challenge) };
    return passkeys.signInByPasskey(afterCheckingPasskey(deps, meanwhile), visitor, given);
  });
}

function testFurtherWays(deps: Deps, testRows: TestRows): void {
  testRows('a passkey', sessionRows, async (user, meanwhile) => {
    const watched = afterCheckingPasskey(deps, meanwhile);
    await register(watched, await principalOf(deps, user), makeAuthenticator(place));
    return 'registered';
  });
  testRows('new recovery codes', sessionRows, async (user, meanwhile) => {
    const principal = await principalOf(deps, user);
    const { secret } = await arm(deps, principal);
    const given = { password, code: codeOf(deps, secret), address: visitor.address };
    await factors.renewRecoveryCodes(afterFindingFactor(deps, meanwhile), principal, given);
    return 'renewed';
  });
}

function nameOutcome(outcome: SignedIn | NewSession | string): string {
  if (typeof outcome === 'string') return outcome;
  return 'kind' in outcome ? outcome.kind : 'session';
}

function nameRefusal(error: unknown): string {
  if (error instanceof ServiceError) return error.code;
  throw error;
}

async function addUser({ store, clock }: Deps): Promise<User> {
  const id = newId();
  const email = `${id.toLowerCase()}@example.org`;
  const named = { id, email, verifiedEmail: email, name: id };
  const user = { ...named, passwordHash, isOwner: false, createdAt: clock.now() };
  await store.manage(({ users }) => users.insert(user));
  return user;
}

/** Signs in with a session that the rows do not count. */
async function principalOf(deps: Deps, { id: userId }: User): Promise<UserPrincipal> {
  const hash = newId();
  const now = deps.clock.now();
  const row = { hash, userId, createdAt: now, expiresAt: now + 60 * 60_000, ...visitor };
  await deps.store.manage(({ signIns }) => signIns.insertSession({ ...row, way: 'set_up' }));
  const user = (await deps.store.read.users.find(userId))!;
  return { kind: 'user', user, sessionHash: hash, sessionExpiresAt: row.expiresAt, memberships: [] };
}

async function arm(deps: Deps, principal: UserPrincipal) {
  const { address } = visitor;
  const { secret, ticket } = await factors.beginSecondFactor(deps, principal, { password, address });
  const given = { ticket, code: codeOf(deps, secret) };
  const recoveryCodes = await factors.confirmSecondFactor(deps, { principal, address }, given);
  deps.clock.advance(stepMs); // the confirming code has been used
  return { secret, recoveryCodes };
}

function codeOf({ clock }: Deps, secret: string): string {
  return makeCode(secret, stepAt(clock.now()));
}

async function earnTicket(deps: Deps, { email }: User): Promise<string> {
  const outcome = await signIn(deps, visitor, { email, password });
  assert.equal(outcome.kind, 'second factor');
  return outcome.kind === 'second factor' ? outcome.ticket : '';
}

async function register(
  deps: Deps,
  principal: UserPrincipal,
  authenticator: ReturnType<typeof makeAuthenticator>,
): Promise<void> {
  const begun = await passkeys.beginRegistration(deps, principal, { password, address: visitor.address });
  const credential = authenticator.register(begun.options.challenge);
  await passkeys.finishRegistration(deps, principal, { ticket: begun.ticket, name: 'phone', credential });
}

async function listPasskeys(records: Records) {
  const users = await records.users.list();
  return (await Promise.all(users.map(({ id }) => records.passkeys.listOfUser(id)))).flat();
}

/** Runs `meanwhile` after the last read of the account outside the transaction. */
function afterFindingUser(deps: Deps, meanwhile: () => Promise<unknown>): Deps {
  const { read } = deps.store;
  const findByEmail = (email: string) => follow(read.users.findByEmail(email), meanwhile);
  return withRead(deps, { users: { ...read.users, findByEmail } });
}

function afterFindingFactor(deps: Deps, meanwhile: () => Promise<unknown>): Deps {
  const { read } = deps.store;
  const find = (userId: string) => follow(read.secondFactors.find(userId), meanwhile);
  return withRead(deps, { secondFactors: { ...read.secondFactors, find } });
}

function afterCheckingPasskey(deps: Deps, meanwhile: () => Promise<unknown>): Deps {
  const { checkRegistration, checkSignIn } = deps.passkeyChecks;
  return {
    ...deps,
    passkeyChecks: {
      checkRegistration: (...given) => follow(checkRegistration(...given), meanwhile),
      checkSignIn: (...given) => follow(checkSignIn(...given), meanwhile),
    },
  };
}

/** The other records are built on first access, so a copy would miss them. */
function withRead(deps: Deps, changed: Partial<Records>): Deps {
  const properties = Object.entries(changed).map(([name, value]) => [name, { value }]);
  // Unchanged records come from the prototype.
  const read = Object.create(deps.store.read, Object.fromEntries(properties)) as Records;
  return { ...deps, store: { ...deps.store, read } };
}

async function follow<T>(first: Promise<T>, then: () => Promise<unknown>): Promise<T> {
  const result = await first;
  await then();
  return result;
}
