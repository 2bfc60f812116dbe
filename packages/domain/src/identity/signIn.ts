/** Signs users in and out. Wrong passwords slow down further attempts, by account and by address. */

import { hashToken, newToken } from '@tapedeck/values/random-ids';
import { findClientSubnet } from '@tapedeck/web/client-addresses';
import { dayMs } from '../instants.ts';
import type { Records, SignInSession, User } from '../ports/metadata.ts';
import { type Change, changeManaged, type ManagementDeps, recordAudit } from '../projects/auditedChanges.ts';
import { ignoreExpected, ServiceError, type SignInMethod } from '../vocabulary.ts';
import { confirmUser } from './passwordChecks.ts';
import type { UserPrincipal } from './principals.ts';
import { consumeCode, type SecondFactorDeps, slowCodes } from './secondFactors.ts';
import { createTickets } from './signedTokens.ts';
import { forgiveAttempt, recordAttempt } from './signInAttempts.ts';

const sessionMs = 14 * dayMs; // a session ends after two weeks away from the dashboard
const userAgentCharactersMax = 200; // enough for users to tell their browsers apart

export type Visitor = { address: string; userAgent: string };
/** A visitor who has proved who they are, and how. */
export type Arrival = Visitor & { method: SignInMethod };
/** `secret` opens the session. It is not stored; the browser keeps it. */
export type NewSession = { user: User; secret: string; expiresAt: number };

/** The result of a correct password: a session, or a ticket to which the user adds a second-factor code. */
export type SignedIn =
  | { kind: 'session'; session: NewSession }
  | { kind: 'second factor'; ticket: string; expiresAt: number };

type Firsts = { userId: string; password: string };
const ticketMs = 5 * 60_000; // time to find the phone
const firsts = (secret: string) => createTickets<Firsts>(secret, 'sign-in', ticketMs);

export async function signIn(
  deps: SecondFactorDeps,
  visitor: Visitor,
  given: { email: string; password: string },
): Promise<SignedIn> {
  const email = given.email.trim().toLowerCase();
  const attempt = { address: visitor.address, account: email };
  await recordAttempt(deps, attempt);
  const user = await deps.store.read.users.findByEmail(email);
  const right = await deps.passwords.isRight(
    given.password,
    user?.passwordHash ?? null,
    findClientSubnet(visitor.address),
  );
  if (user === null || !right) throw wrongPasswordError();
  await forgiveAttempt(deps, attempt);
  return changeManaged(deps, actorOf(user), async change => {
    // Checking the password takes a while; the account may have changed since.
    const current = await change.records.users.find(user.id);
    if (current?.passwordHash !== user.passwordHash || current.email !== user.email)
      throw wrongPasswordError();
    return completeFirstFactor({ ...change, secret: deps.secret }, current, {
      ...visitor,
      method: 'password',
    });
  });
}

function wrongPasswordError(): ServiceError {
  return new ServiceError('sign_in_failed', 'The email address or the password is wrong.');
}

/** Opens a session for a user who has passed the first factor, or asks for the second. The same change must have read that first factor. */
export async function completeFirstFactor(
  change: Change & Pick<SecondFactorDeps, 'secret'>,
  user: User,
  arrival: Arrival,
): Promise<SignedIn> {
  const { records, now, secret } = change;
  if ((await records.secondFactors.find(user.id)) === null) {
    return { kind: 'session', session: await openSession(change, user, arrival) };
  }
  const content = { userId: user.id, password: hashToken(user.passwordHash) };
  const { text, expiresAt } = firsts(secret).issue(content, now);
  return { kind: 'second factor', ticket: text, expiresAt };
}

/** Signs in with a second-factor code and the ticket from the password step. Changing the password invalidates the ticket. */
export async function finishSignIn(
  deps: SecondFactorDeps,
  visitor: Visitor,
  given: { ticket: string; code: string },
): Promise<NewSession> {
  const tickets = firsts(deps.secret);
  const ticket = tickets.read(given.ticket, deps.clock.now());
  const { user } = await readFirst(deps.store.read, ticket.content);
  return slowCodes(deps, { userId: user.id, address: visitor.address }, () =>
    changeManaged(deps, actorOf(user), async change => {
      const current = await readFirst(change.records, ticket.content);
      await tickets.spend(change.records, ticket);
      const method = await consumeCode({ ...change, secret: deps.secret }, current.factor, given.code);
      return openSession(change, current.user, { ...visitor, method });
    }),
  );
}

async function readFirst(records: Records, { userId, password }: Firsts) {
  const user = await records.users.find(userId);
  const factor = await records.secondFactors.find(userId);
  if (user === null || factor === null || hashToken(user.passwordHash) !== password) {
    throw new ServiceError('ticket_expired', 'Your account has changed in the meantime. Start again.');
  }
  return { user, factor };
}

/**
 * Opens a session in a change that has also read the credential (password, passkey, identity). Changes run one after another: one that removes
 * the credential is either visible here, or ends this session too.
 */
export async function openSession(
  { records, now }: Pick<Change, 'records' | 'now'>,
  user: User,
  arrival: Arrival,
): Promise<NewSession> {
  const session = makeSession(user, arrival, now);
  await records.signIns.insertSession(session.row);
  const { address, method } = arrival;
  const line = {
    project: null,
    action: 'user.sign_in',
    target: user.id,
    details: { address, way: method },
  } as const;
  await recordAudit(records, { actor: actorOf(user), now }, line);
  return session.given;
}

/** Names a user without a session yet, for the audit log. */
export function actorOf(user: User): UserPrincipal {
  return { kind: 'user', user, sessionHash: '', sessionExpiresAt: 0, memberships: [] };
}

/** Makes the row to store and the secret for the browser. */
export function makeSession(
  user: User,
  { address, userAgent, method }: Arrival,
  now: number,
): { row: SignInSession; given: NewSession } {
  const secret = newToken();
  const expiresAt = now + sessionMs;
  const row = {
    hash: hashToken(secret),
    userId: user.id,
    createdAt: now,
    expiresAt,
    address,
    way: method,
    userAgent: userAgent.slice(0, userAgentCharactersMax),
  };
  return { row, given: { user, secret, expiresAt } };
}

/** Finds the user behind a session's secret. Use extends the session, at most twice per session length. */
export async function findSession(
  deps: Pick<ManagementDeps, 'store' | 'clock'>,
  secret: string,
): Promise<UserPrincipal | null> {
  const { read } = deps.store;
  const now = deps.clock.now();
  const session = await read.signIns.findSession(hashToken(secret));
  if (session === null || session.expiresAt <= now) return null;
  const user = await read.users.find(session.userId);
  if (user === null) return null;
  let { expiresAt } = session;
  if (expiresAt - now < sessionMs / 2) {
    const later = now + sessionMs;
    const extend = deps.store.write(records => records.signIns.extendSession(session.hash, later));
    await extend.then(() => {
      expiresAt = later;
    }, ignoreExpected);
  }
  const memberships = await read.memberships.listOfUser(user.id);
  return { kind: 'user', user, sessionHash: session.hash, sessionExpiresAt: expiresAt, memberships };
}

export async function signOut(deps: Pick<ManagementDeps, 'store'>, secret: string): Promise<void> {
  await deps.store.writeFromReserve(records => records.signIns.removeSession(hashToken(secret)));
}

/** Names a session by the first half of its hash, which cannot open it. */
export function nameSession(hash: string): string {
  return hash.slice(0, hash.length / 2);
}

export async function listSessions(
  deps: Pick<ManagementDeps, 'store' | 'clock'>,
  principal: UserPrincipal,
): Promise<SignInSession[]> {
  const now = deps.clock.now();
  const sessions = await deps.store.read.signIns.listSessionsOfUser(principal.user.id);
  return sessions.filter(session => session.expiresAt > now);
}

export async function endSession(
  deps: Pick<ManagementDeps, 'store' | 'clock'>,
  principal: UserPrincipal,
  name: string,
): Promise<void> {
  const session = (await listSessions(deps, principal)).find(({ hash }) => nameSession(hash) === name);
  if (session === undefined) throw new ServiceError('not_found', 'You have no session with this id.');
  await deps.store.writeFromReserve(records => records.signIns.removeSession(session.hash));
}

export async function changePassword(
  deps: ManagementDeps,
  principal: UserPrincipal,
  given: { currentPassword: string; newPassword: string; address: string },
): Promise<void> {
  const { user, sessionHash } = principal;
  const { currentPassword: password, address } = given;
  await confirmUser(deps, principal, { password, address, field: 'currentPassword' });
  const passwordHash = await deps.passwords.hash(given.newPassword, findClientSubnet(address));
  await changeManaged(deps, principal, async ({ records, audit }) => {
    // Hashing takes a while; the user may have changed since.
    const current = await records.users.find(user.id);
    if (current === null || current.passwordHash !== user.passwordHash) {
      throw new ServiceError('sign_in_failed', 'The password has been changed. Sign in again.');
    }
    await records.users.update({ ...current, passwordHash });
    await records.signIns.removeSessionsOfUser(user.id, sessionHash);
    await audit({ project: null, action: 'user.change_password', target: user.id });
  });
}
