/**
 * Invitations: links that create a user or grant a role in a project, once. An invitation works only while its maker may still grant
 * everything that it promises.
 */
import { hashToken, newId, newToken } from '@tapedeck/values/random-ids';
import type { Invitation } from '../ports/identity.ts';
import type { Records } from '../ports/metadata.ts';
import { changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { findLivingProject } from '../projects/projects.ts';
import { type InvitationState, invalidFieldError, limits, type Role, ServiceError } from '../vocabulary.ts';
import { mayGive, requireMayGive } from './members.ts';
import {
  type Actor,
  describeActor,
  ownsInstallation,
  type TokenPrincipal,
  type UserPrincipal,
} from './principals.ts';
import { readScopes } from './scopes.ts';

export type NewInvitation = {
  place: { project: string; role: Role } | null;
  email: string | null;
  lifeMs: number;
};

/** `usedBy`: the email address of the user who joined with it, if that user still exists. */
export type ShownInvitation = { invitation: Invitation; state: InvitationState; usedBy: string | null };

type Maker = TokenPrincipal | UserPrincipal;

/** Returns the link's secret, which is shown once. Only installation owners invite without a place. */
export async function createInvitation(
  deps: ManagementDeps,
  actor: Maker,
  { place, email, lifeMs }: NewInvitation,
): Promise<{ invitation: Invitation; secret: string }> {
  const secret = newToken();
  return changeManaged(deps, actor, async ({ records, now, audit }) => {
    if (place !== null) {
      requireMayGive(actor, place);
      await findLivingProject(records, place.project);
    }
    await requireCapacity(records, place, now);
    const invitation: Invitation = {
      id: newId(),
      hash: hashToken(secret),
      place,
      email: email?.toLowerCase() ?? null,
      maker: { kind: actor.kind, id: actor.kind === 'user' ? actor.user.id : actor.id },
      createdAt: now,
      createdBy: describeActor(actor),
      expiresAt: now + lifeMs,
      used: null,
      revokedAt: null,
    };
    await records.invitations.insert(invitation);
    const details = {
      ...(place && { role: place.role }),
      ...(email !== null && { email: invitation.email }),
    };
    const project = place?.project ?? null;
    await audit({ project, action: 'invitation.create', target: invitation.id, details });
    return { invitation, secret };
  });
}

async function requireCapacity(records: Records, place: Invitation['place'], now: number): Promise<void> {
  const known = await records.invitations.list(place?.project ?? null);
  const open = known.filter(({ used, expiresAt }) => used === null && expiresAt > now);
  if (open.length < limits.invitationsMax) return;
  const most = `There are ${limits.invitationsMax} open invitations; withdraw some first.`;
  throw new ServiceError('invalid_field', most);
}

/** Newest first; null lists those that only create users. */
export async function listInvitations(
  { store, clock }: Pick<ManagementDeps, 'store' | 'clock'>,
  project: string | null,
): Promise<ShownInvitation[]> {
  const { read } = store;
  const invitations = await read.invitations.list(project);
  return Promise.all(
    invitations.map(async invitation => {
      const state = await readState(read, invitation, clock.now());
      const user = invitation.used && (await read.users.find(invitation.used.userId));
      return { invitation, state, usedBy: user?.email ?? null };
    }),
  );
}

/** Treats another project's invitation as absent. */
export async function revokeInvitation(
  deps: ManagementDeps,
  actor: Actor,
  which: { project: string | null; id: string },
): Promise<void> {
  await changeManaged(deps, actor, async ({ records, now, audit }) => {
    const invitation = await records.invitations.find(which.id);
    const project = invitation?.place?.project ?? null;
    if (invitation === null || invitation.revokedAt !== null || project !== which.project)
      throw new ServiceError('not_found', 'There is no such invitation; it may have been withdrawn.');
    await records.invitations.update({ ...invitation, revokedAt: now });
    await audit({ project, action: 'invitation.revoke', target: invitation.id });
  });
}

/** Finds a usable invitation, or rejects with a sentence for the holder of the link. */
export async function findOpenInvitation(records: Records, secret: string, now: number): Promise<Invitation> {
  const invitation = await records.invitations.findByHash(hashToken(secret.trim()));
  if (invitation === null) {
    throw new ServiceError('not_found', 'There is no such invitation; check that the whole link is there.');
  }
  if (invitation.revokedAt !== null) throw endedError('The invitation has been withdrawn; ask for another.');
  const state = await readState(records, invitation, now);
  if (state === 'used') {
    const sentence = 'This invitation has already been used. Ask for another, or sign in.';
    throw new ServiceError('invitation_used', sentence);
  }
  if (state === 'expired')
    throw new ServiceError('invitation_expired', 'The invitation has expired. Ask for another.');
  if (state === 'ended') throw endedError('The person who created this invitation can no longer invite.');
  return invitation;
}

function endedError(sentence: string): ServiceError {
  return new ServiceError('invitation_ended', sentence);
}

/** Throws unless the invitation may be used with the address. */
export function requireInvited({ email }: Invitation, given: string): void {
  if (email !== null && email !== given.toLowerCase())
    throw invalidFieldError('email', 'This invitation is for another email address.');
}

export async function readState(
  records: Records,
  invitation: Invitation,
  now: number,
): Promise<InvitationState> {
  if (invitation.used !== null) return 'used';
  if (invitation.expiresAt <= now) return 'expired';
  const maker = await findMaker(records, invitation, now);
  if (maker === null) return 'ended';
  const { place } = invitation;
  if (place === null) return ownsInstallation(maker) ? 'open' : 'ended';
  const project = await records.projects.find(place.project);
  return project?.deletedAt === null && mayGive(maker, place) ? 'open' : 'ended';
}

/** Finds the maker with their present permissions; null: deleted, or a token that is no longer valid. */
async function findMaker(
  records: Records,
  { maker: { kind, id } }: Invitation,
  now: number,
): Promise<Maker | null> {
  if (kind === 'user') {
    const user = await records.users.find(id);
    if (user === null) return null;
    const memberships = await records.memberships.listOfUser(id);
    return { kind, user, sessionHash: '', sessionExpiresAt: 0, memberships };
  }
  const token = await records.tokens.find(id);
  const project = token && (await records.projects.find(token.project));
  if (token === null || project === null || token.revokedAt !== null) return null;
  if (token.expiresAt !== null && token.expiresAt <= now) return null;
  const { name, prefix, expiresAt } = token;
  const scopes = readScopes(token.scopes, token.kind);
  return { kind, id, tokenKind: token.kind, name, prefix, project, scopes, countedAs: id, expiresAt };
}
