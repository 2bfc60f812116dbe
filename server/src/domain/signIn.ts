/** Signing in and out: sessions behind a secret, wrong passwords slowed per account and per address. */

import { findClientSubnet } from '@tapedeck/client-addresses';
import { hashToken, newToken } from '@tapedeck/random-ids';
import { ServiceError, type SignInWay } from '../vocabulary.ts';
import { dayMs } from './instants.ts';
import { changeManaged, type ManagementDeps, recordAudit } from './management.ts';
import { hashPassword, isPasswordRight } from './passwords.ts';
import type { SignInSession, User } from './ports/metadata.ts';
import type { UserPrincipal } from './principals.ts';
import { forgiveAttempt, noteAttempt } from './signInAttempts.ts';

const sessionMs = 14 * dayMs; // two weeks away from the dashboard end a session
const userAgentCharactersMax = 200; // enough to tell one's own browsers apart

export type Visitor = { address: string; userAgent: string };
/** A visitor who has come in, and how. */
export type Arrival = Visitor & { way: SignInWay };
/** `secret` opens the session; it exists here and in the browser. */
export type NewSession = { user: User; secret: string; expiresAt: number };

export async function signIn(
  deps: ManagementDeps,
  visitor: Visitor,
  given: { email: string; password: string },
): Promise<NewSession> {
  const email = given.email.trim().toLowerCase();
  const attempt = { address: visitor.address, account: email };
  await noteAttempt(deps, attempt);
  const user = await deps.store.read.users.findByEmail(email);
  const right = await isPasswordRight(
    given.password,
    user?.passwordHash ?? null,
    findClientSubnet(visitor.address),
  );
  if (user === null || !right) {
    throw new ServiceError('sign_in_failed', 'The e-mail address or the password is wrong.');
  }
  await forgiveAttempt(deps, attempt);
  const session = makeSession(user, { ...visitor, way: 'password' }, deps.clock.now());
  await deps.store.write(async records => {
    await records.signIns.insertSession(session.row);
    const actor = { kind: 'user', user, sessionHash: '', sessionExpiresAt: 0, memberships: [] } as const;
    await recordAudit(records, { actor, now: session.row.createdAt }, signInLine(user, visitor));
  });
  return session.given;
}

function signInLine(user: User, visitor: Visitor) {
  return { project: null, action: 'user.sign_in', target: user.id, details: { address: visitor.address } };
}

/** Makes the row to store, and the secret for the browser. */
export function makeSession(
  user: User,
  { address, userAgent, way }: Arrival,
  now: number,
): { row: SignInSession; given: NewSession } {
  const secret = newToken();
  const expiresAt = now + sessionMs;
  const row = {
    ...{ hash: hashToken(secret), userId: user.id, createdAt: now, expiresAt, address, way },
    userAgent: userAgent.slice(0, userAgentCharactersMax),
  };
  return { row, given: { user, secret, expiresAt } };
}

/** The user behind a session's secret, or null. Use moves the end of the session on, at most twice in its length. */
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
    expiresAt = now + sessionMs;
    await deps.store.write(records => records.signIns.extendSession(session.hash, expiresAt));
  }
  const memberships = await read.memberships.listOfUser(user.id);
  return { kind: 'user', user, sessionHash: session.hash, sessionExpiresAt: expiresAt, memberships };
}

export async function signOut(deps: Pick<ManagementDeps, 'store'>, secret: string): Promise<void> {
  await deps.store.write(records => records.signIns.removeSession(hashToken(secret)));
}

/** A session is named to its user by the first half of its hash, which opens nothing. */
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
  await deps.store.write(records => records.signIns.removeSession(session.hash));
}

export async function changePassword(
  deps: ManagementDeps,
  principal: UserPrincipal,
  given: { currentPassword: string; newPassword: string; address: string },
): Promise<void> {
  const { user, sessionHash } = principal;
  const attempt = { address: given.address, account: user.email };
  const holder = findClientSubnet(given.address);
  await noteAttempt(deps, attempt);
  if (!(await isPasswordRight(given.currentPassword, user.passwordHash, holder))) {
    throw new ServiceError('sign_in_failed', 'The current password is wrong.', { field: 'currentPassword' });
  }
  await forgiveAttempt(deps, attempt);
  const passwordHash = await hashPassword(given.newPassword, holder);
  await changeManaged(deps, principal, async ({ records, audit }) => {
    // Hashing takes a while, in which somebody else may have changed the user.
    const current = await records.users.find(user.id);
    if (current === null || current.passwordHash !== user.passwordHash) {
      throw new ServiceError('sign_in_failed', 'The password was changed meanwhile; sign in again.');
    }
    await records.users.update({ ...current, passwordHash });
    await records.signIns.removeSessionsOfUser(user.id, sessionHash);
    await audit({ project: null, action: 'user.change_password', target: user.id });
  });
}
