/** Manages roles in a project. Actors cannot give or take a role above their own. */

import type { Membership, Records, User } from '../ports/metadata.ts';
import { type Change, changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { type Role, ServiceError, type TokenAction, tokenActions } from '../vocabulary.ts';
import { isEmailVerified } from './emailAddresses.ts';
import { endLostTokens, type OrphanedTokens, type TokensChoice } from './orphanedTokens.ts';
import { type Actor, hasScopes, isRoleAtLeast, requireRole, requireScopes, roleIn } from './principals.ts';
import { findUser, putMembership } from './users.ts';

export type Member = Pick<User, 'id' | 'email' | 'name'> & { role: Role };

const rolesRule = 'gives roles that may do no more than its own scopes';

export async function listMembers(deps: Pick<ManagementDeps, 'store'>, project: string): Promise<Member[]> {
  const memberships = await deps.store.read.memberships.listOfProject(project);
  const users = new Map((await deps.store.read.users.list()).map(user => [user.id, user]));
  return memberships.flatMap(({ userId, role }) => {
    const user = users.get(userId);
    return user ? [toMember(user, role)] : [];
  });
}

export async function addMember(
  deps: ManagementDeps,
  actor: Actor,
  input: { project: string; email: string; role: Role },
): Promise<Member> {
  return changeManaged(deps, actor, async change => {
    const user = await findByVerifiedEmail(change.records, input.email);
    await setRole(change, { userId: user.id, project: input.project, role: input.role });
    return toMember(user, input.role);
  });
}

/** Requires a verified address: an unverified user may have typed someone else's. */
async function findByVerifiedEmail({ users }: Records, email: string): Promise<User> {
  const user = await users.findByEmail(email.toLowerCase());
  if (user !== null && isEmailVerified(user)) return user;
  const sentence =
    user === null
      ? `No user has the email address ${email}; an owner adds users.`
      : `A user has typed the email address ${email}, but nobody has verified that it is theirs. Send them an invitation to this project, or ask an owner of the installation to mark the address as verified.`;
  throw new ServiceError('not_found', sentence, { field: 'email' });
}

export async function setMemberRole(
  deps: ManagementDeps,
  actor: Actor,
  { tokens, ...membership }: Membership & { tokens: TokensChoice },
): Promise<{ member: Member } & OrphanedTokens> {
  return changeManaged(deps, actor, async change => {
    await requireMember(change.records, membership);
    const user = await findUser(change.records, membership.userId);
    await setRole(change, membership);
    const lost = await endLostTokens(change, user, tokens);
    return { member: toMember(user, membership.role), ...lost };
  });
}

export async function removeMember(
  deps: ManagementDeps,
  actor: Actor,
  { tokens, ...which }: Pick<Membership, 'userId' | 'project'> & { tokens: TokensChoice },
): Promise<OrphanedTokens> {
  return changeManaged(deps, actor, async change => {
    const { records, audit } = change;
    const before = await requireMember(records, which);
    requireNotAbove(actor, which.project, before.role);
    await records.memberships.remove(which.userId, which.project);
    const lost = await endLostTokens(change, await findUser(records, which.userId), tokens);
    const { project, userId } = which;
    const details = { role: before.role, ...lost };
    await audit({ project, action: 'member.remove', target: userId, details });
    return lost;
  });
}

async function setRole(change: Change, membership: Membership): Promise<void> {
  const { actor, records } = change;
  const { project, role } = membership;
  requireNotAbove(actor, project, role);
  const before = await findMembership(records, membership);
  if (before !== null) requireNotAbove(actor, project, before.role);
  if (before === null || !isRoleAtLeast(before.role, role)) requireScopes(actor, actionsOf(role), rolesRule);
  if (before?.role !== role) await putMembership(change, membership, before);
}

/** Throws unless the actor may give the role to a new member. */
export function requireMayGive(actor: Actor, { project, role }: Pick<Membership, 'project' | 'role'>): void {
  requireNotAbove(actor, project, role);
  requireScopes(actor, actionsOf(role), rolesRule);
}

export function mayGive(actor: Actor, { project, role }: Pick<Membership, 'project' | 'role'>): boolean {
  const own = roleIn(actor, project);
  if (own === null || !isRoleAtLeast(own, 'admin') || !isRoleAtLeast(own, role)) return false;
  return hasScopes(actor, actionsOf(role));
}

/** Viewers only read; all higher roles also write and delete. */
function actionsOf(role: Role): readonly TokenAction[] {
  return role === 'viewer' ? ['read'] : tokenActions;
}

function requireNotAbove(actor: Actor, project: string, role: Role): void {
  const own = requireRole(actor, project, 'admin');
  if (!isRoleAtLeast(own, role)) {
    throw new ServiceError(
      'role_missing',
      `Only owners can give or remove the role ${role}. Your role is ${own}.`,
    );
  }
}

async function findMembership(
  records: Records,
  which: Pick<Membership, 'userId' | 'project'>,
): Promise<Membership | null> {
  const memberships = await records.memberships.listOfUser(which.userId);
  return memberships.find(membership => membership.project === which.project) ?? null;
}

async function requireMember(
  records: Records,
  which: Pick<Membership, 'userId' | 'project'>,
): Promise<Membership> {
  const membership = await findMembership(records, which);
  if (membership === null) throw new ServiceError('not_found', 'There is no member with this id.');
  return membership;
}

function toMember({ id, email, name }: User, role: Role): Member {
  return { id, email, name, role };
}
