/** Creates the owner account of a new installation, once, with the code printed at start. */
import { createHmac } from 'node:crypto';
import { isSameSecret } from '@tapedeck/values/random-ids';
import { findClientSubnet } from '@tapedeck/web/client-addresses';
import type { Records, User } from '../ports/metadata.ts';
import { type Change, changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { ServiceError } from '../vocabulary.ts';
import { makeSession, type NewSession, type Visitor } from './signIn.ts';
import { recordAttempt } from './signInAttempts.ts';
import { makeUser } from './users.ts';

type OwnerInput = { email: string; password: string; name: string };

const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'; // without characters that look alike
const codeCharacters = 12; // 60 bits, and attempts are rate-limited
const groupCharacters = 4;

/** Derived from the secret, so that all nodes show the same code, even after restarts, until an owner exists. */
export function makeSetUpCode(secret: string): string {
  const bytes = createHmac('sha256', secret).update('set-up code').digest().subarray(0, codeCharacters);
  const text = Array.from(bytes, byte => codeAlphabet[byte % codeAlphabet.length]).join('');
  return text.match(new RegExp(`.{${groupCharacters}}`, 'g'))!.join('-');
}

/** True once an owner exists. Other users, made on the command line, do not count. */
export async function isSetUp(deps: Pick<ManagementDeps, 'store'>): Promise<boolean> {
  return (await deps.store.read.users.countOwners()) > 0;
}

export async function setUpOwner(
  deps: ManagementDeps & { secret: string },
  visitor: Visitor,
  input: OwnerInput & { code: string },
): Promise<NewSession> {
  if (await isSetUp(deps)) throw alreadySetUpError();
  await recordAttempt(deps, { address: visitor.address, account: 'set-up' });
  const given = input.code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  if (!isSameSecret(given, makeSetUpCode(deps.secret).replaceAll('-', ''))) {
    throw new ServiceError(
      'setup_code_wrong',
      'The setup code is wrong. The service printed it when it started.',
      { field: 'code' },
    );
  }
  const now = deps.clock.now();
  const user = await makeUser(
    deps,
    { ...input, isOwner: true, isVerified: true },
    findClientSubnet(visitor.address),
  );
  const session = await keepFirstOwner(deps, user, async ({ records }, owner) => {
    const { row, given } = makeSession(owner, { ...visitor, method: 'set_up' }, now);
    await records.signIns.insertSession(row);
    return given;
  });
  if (session === null) throw alreadySetUpError();
  return session;
}

/** Creates the owner named in the configuration unless an owner exists. */
export async function ensureOwner(deps: ManagementDeps, input: OwnerInput): Promise<void> {
  if (await isSetUp(deps)) return;
  await keepFirstOwner(
    deps,
    await makeUser(deps, { ...input, isOwner: true, isVerified: true }, ''),
    async (_, owner) => owner,
  );
}

/** Makes the user the first owner. Resolves to the result of `then`, or to null if another owner was first. */
async function keepFirstOwner<T>(
  deps: ManagementDeps,
  user: User,
  then: (change: Change, owner: User) => Promise<T>,
): Promise<T | null> {
  return changeManaged(deps, { kind: 'service' }, async change => {
    const { records, audit } = change;
    if ((await records.users.countOwners()) > 0) return null;
    const known = await records.users.findByEmail(user.email);
    const owner = { ...user, id: known?.id ?? user.id, createdAt: known?.createdAt ?? user.createdAt };
    if (known === null) await records.users.insert(owner);
    else {
      // Only people with access to the machine know the code and the configuration, so they may take over the account.
      await records.users.update(owner);
      await records.signIns.removeSessionsOfUser(owner.id, null);
      await removeSignInMethods(records, owner.id);
    }
    const details = { email: owner.email };
    await audit({ project: null, action: 'installation.set_up', target: owner.id, details });
    return then(change, owner);
  });
}

/** Also removes other ways to sign in, so that the previous holder of the account cannot return. */
async function removeSignInMethods(
  { secondFactors, passkeys, identities }: Records,
  userId: string,
): Promise<void> {
  await secondFactors.remove(userId);
  for (const { id } of await passkeys.listOfUser(userId)) await passkeys.remove(userId, id);
  for (const { id } of await identities.listOfUser(userId)) await identities.remove(userId, id);
}

function alreadySetUpError(): ServiceError {
  return new ServiceError('already_set_up', 'The installation already has an owner. Sign in.');
}
