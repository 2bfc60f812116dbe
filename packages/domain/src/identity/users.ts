/** Creates, changes and deletes users of the installation. At least one owner always remains. */

import { listChanged } from '@tapedeck/values/changed-fields';
import { newId } from '@tapedeck/values/random-ids';
import type { Membership, Records, User } from '../ports/metadata.ts';
import { type Change, changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { findLivingProject } from '../projects/projects.ts';
import { invalidFieldError, limits, patterns, type Role, ServiceError } from '../vocabulary.ts';
import { isEmailAddress, isEmailVerified } from './emailAddresses.ts';
import { endLostTokens, type OrphanedTokens, type TokensChoice } from './orphanedTokens.ts';
import { type Actor, nameShareKey } from './principals.ts';

export type UserInput = {
  email: string;
  password: string;
  name: string;
  isOwner: boolean;
  /** Whether the user's creator confirms the address. */
  isVerified: boolean;
  membership: { project: string; role: Role } | null;
};
export type UserChanges = {
  email?: string;
  emailVerified?: boolean;
  name?: string;
  password?: string;
  isOwner?: boolean;
};
export type UserWithRoles = { user: User; memberships: Membership[] };

const linePattern = new RegExp(patterns.line);

/** `holder`: for fair turns in the password queue. */
export async function makeUser(
  { clock, passwords }: Pick<ManagementDeps, 'clock' | 'passwords'>,
  input: Omit<UserInput, 'membership'>,
  holder: string,
): Promise<User> {
  requireValidUser(input);
  const email = input.email.toLowerCase();
  return {
    id: newId(),
    email,
    verifiedEmail: input.isVerified ? email : null,
    name: input.name === '' ? input.email.split('@', 1)[0]! : input.name,
    passwordHash: await passwords.hash(input.password, holder),
    isOwner: input.isOwner,
    createdAt: clock.now(),
  };
}

/** Repeats the checks of requests, because the command line bypasses the contract. */
function requireValidUser({ email, password, name }: Pick<UserInput, 'email' | 'password' | 'name'>): void {
  if (!isEmailAddress(email)) {
    throw invalidFieldError('email', 'The email address is not valid; write it like name@example.org.');
  }
  requireValidPassword(password);
  const { nameCharactersMax } = limits;
  if (name.length > nameCharactersMax) {
    throw invalidFieldError('name', `The name may hold at most ${nameCharactersMax} characters.`);
  }
  if (!linePattern.test(name)) {
    throw invalidFieldError('name', 'The name must be one line without control characters.');
  }
}

function requireValidPassword(password: string): void {
  const { passwordCharactersMin, passwordCharactersMax } = limits;
  if (password.length >= passwordCharactersMin && password.length <= passwordCharactersMax) return;
  const range = `${passwordCharactersMin} to ${passwordCharactersMax}`;
  throw invalidFieldError('password', `The password must have ${range} characters.`);
}

export async function createUser(
  deps: ManagementDeps,
  actor: Actor,
  input: Omit<UserInput, 'isVerified'>,
): Promise<UserWithRoles> {
  const user = await makeUser(deps, { ...input, isVerified: true }, nameShareKey(actor));
  await changeManaged(deps, actor, async change => {
    await change.records.users.insert(user);
    const details = { email: user.email, isOwner: user.isOwner };
    await change.audit({ project: null, action: 'user.create', target: user.id, details });
    if (input.membership) await putMembership(change, { userId: user.id, ...input.membership }, null);
  });
  return getUser(deps, user.id);
}

export async function getUser(deps: Pick<ManagementDeps, 'store'>, id: string): Promise<UserWithRoles> {
  const user = await findUser(deps.store.read, id);
  return { user, memberships: await deps.store.read.memberships.listOfUser(id) };
}

export async function updateUser(
  deps: ManagementDeps,
  actor: Actor,
  input: { id: string; changes: UserChanges; tokens?: TokensChoice },
): Promise<UserWithRoles> {
  const { password, emailVerified, ...changes } = input.changes;
  if (password !== undefined) requireValidPassword(password);
  const passwordHash =
    password === undefined ? null : await deps.passwords.hash(password, nameShareKey(actor));
  await changeManaged(deps, actor, async change => {
    const { records, audit } = change;
    const before = await findUser(records, input.id);
    const email = (changes.email ?? before.email).toLowerCase();
    // Setting a new address confirms it; otherwise the old status stays.
    const isVerified = emailVerified ?? (email !== before.email || isEmailVerified(before));
    const after = { ...before, ...changes, email, verifiedEmail: isVerified ? email : null };
    if (passwordHash !== null) after.passwordHash = passwordHash;
    if (before.isOwner && !after.isOwner) await requireOtherOwner(records);
    await records.users.update(after);
    if (passwordHash !== null) await records.signIns.removeSessionsOfUser(before.id, null);
    const details = {
      ...listChanged(before, after, Object.keys(changes)),
      ...(emailVerified !== undefined && isVerified !== isEmailVerified(before) && { emailVerified }),
      ...(passwordHash !== null && { password: 'changed' }),
    };
    if (Object.keys(details).length > 0)
      await audit({ project: null, action: 'user.update', target: before.id, details });
    if (before.isOwner && !after.isOwner) await endLostTokens(change, before, input.tokens ?? 'revoke');
  });
  return getUser(deps, input.id);
}

export async function deleteUser(
  deps: ManagementDeps,
  actor: Actor,
  { id, tokens }: { id: string; tokens: TokensChoice },
): Promise<OrphanedTokens> {
  return changeManaged(deps, actor, async change => {
    const { records, audit } = change;
    const user = await findUser(records, id);
    if (user.isOwner) await requireOtherOwner(records);
    await records.users.remove(id);
    const lost = await endLostTokens(change, user, tokens);
    await audit({
      project: null,
      action: 'user.delete',
      target: id,
      details: { email: user.email, ...lost },
    });
    return lost;
  });
}

/** `before`: the former role; null: none. Goes to the project's audit log, because its admins see no other. */
export async function putMembership(
  { records, audit }: Change,
  membership: Membership,
  before: Membership | null,
): Promise<void> {
  const { project, userId, role } = membership;
  await findLivingProject(records, project);
  await records.memberships.put(membership);
  const details = { role, ...(before !== null && { before: { role: before.role } }) };
  await audit({ project, action: 'member.set', target: userId, details });
}

export async function findUser(records: Records, id: string): Promise<User> {
  const user = await records.users.find(id);
  if (user === null) throw new ServiceError('not_found', 'There is no user with this id.');
  return user;
}

async function requireOtherOwner(records: Records): Promise<void> {
  if ((await records.users.countOwners()) > 1) return;
  throw new ServiceError(
    'last_owner',
    'This is the last owner of the installation; make someone else an owner first.',
  );
}
