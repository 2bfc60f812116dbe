/** Confirms a signed-in user's identity before changes to how they sign in. */

import { findClientSubnet } from '@tapedeck/web/client-addresses';
import type { Records } from '../ports/metadata.ts';
import type { ManagementDeps } from '../projects/auditedChanges.ts';
import { ServiceError } from '../vocabulary.ts';
import type { UserPrincipal } from './principals.ts';
import { forgiveAttempt, recordAttempt } from './signInAttempts.ts';

const freshMs = 10 * 60_000; // long enough to finish what the user signed in for

type GivenPassword = {
  password: string;
  address: string;
  /** The caller's name for the field. */
  field: string;
};

/** Checks the password. A user without one must have signed in recently. */
export async function confirmUser(
  deps: ManagementDeps,
  { user, sessionHash }: UserPrincipal,
  { password, address, field }: GivenPassword,
): Promise<void> {
  if (user.passwordHash === '') {
    const session = await deps.store.read.signIns.findSession(sessionHash);
    if (session !== null && deps.clock.now() - session.createdAt < freshMs) return;
    const sentence = 'You have no password. Sign out and in again, and do this within ten minutes.';
    throw new ServiceError('sign_in_failed', sentence);
  }
  const attempt = { address, account: user.email };
  await recordAttempt(deps, attempt);
  if (!(await deps.passwords.isRight(password, user.passwordHash, findClientSubnet(address)))) {
    const sentence = field === 'password' ? 'The password is wrong.' : 'The current password is wrong.';
    throw new ServiceError('sign_in_failed', sentence, { field });
  }
  await forgiveAttempt(deps, attempt);
}

/** Throws if the session has ended since the request began: the user may have lost the account meanwhile. */
export async function requireLiveSession(records: Records, { sessionHash }: UserPrincipal): Promise<void> {
  if ((await records.signIns.findSession(sessionHash)) !== null) return;
  throw new ServiceError('session_missing', 'Your session has ended; sign in again.');
}
