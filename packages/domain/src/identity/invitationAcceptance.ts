/** Accepts an invitation: makes a new user, or gives an existing user the invited role. */

import { findClientSubnet } from '@tapedeck/web/client-addresses';
import type { Invitation } from '../ports/identity.ts';
import type { Project, User } from '../ports/metadata.ts';
import { type Change, changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { findLivingProject } from '../projects/projects.ts';
import { ServiceError } from '../vocabulary.ts';
import { findOpenInvitation, requireInvited } from './invitations.ts';
import { isRoleAtLeast, roleOfUser, type UserPrincipal } from './principals.ts';
import { actorOf, makeSession, type NewSession, type Visitor } from './signIn.ts';
import { forgiveAttempt, recordAttempt } from './signInAttempts.ts';
import { makeUser } from './users.ts';

/** An invitation as shown to its holder; `project` is null if it only creates a user. */
export type Offer = { invitation: Invitation; project: Project | null };

/** Slows down guessing by address. */
export async function readOffer(deps: ManagementDeps, address: string, secret: string): Promise<Offer> {
  const attempt = { address, account: `invitation ${findClientSubnet(address)}` };
  await recordAttempt(deps, attempt);
  const { read } = deps.store;
  // An expired or used invitation was still not a guess.
  const invitation = await findOpenInvitation(read, secret, deps.clock.now()).catch(async error => {
    if (error instanceof ServiceError && error.code !== 'not_found') await forgiveAttempt(deps, attempt);
    throw error;
  });
  await forgiveAttempt(deps, attempt);
  const { place } = invitation;
  return { invitation, project: place && (await findLivingProject(read, place.project)) };
}

/** Creates the user, uses up the invitation and signs in, all or nothing. */
export async function joinByInvitation(
  deps: ManagementDeps,
  visitor: Visitor,
  input: { secret: string; email: string; name: string; password: string },
): Promise<NewSession> {
  const { invitation } = await readOffer(deps, visitor.address, input.secret);
  requireInvited(invitation, input.email);
  // Fails early, because hashing the password takes a while.
  if ((await deps.store.read.users.findByEmail(input.email.toLowerCase())) !== null) throw knownError();
  const now = deps.clock.now();
  const user = await makeUser(
    deps,
    { ...input, isOwner: false, isVerified: false },
    findClientSubnet(visitor.address),
  );
  const session = makeSession(user, { ...visitor, method: 'invitation' }, now);
  await changeManaged(deps, actorOf(user), async change => {
    await makeInvitedUser(change, user, input.secret);
    await change.records.signIns.insertSession(session.row);
  });
  return session.given;
}

/** Inserts the user with the invited role. */
export async function makeInvitedUser(change: Change, user: User, secret: string): Promise<void> {
  const invitation = await findOpenInvitation(change.records, secret, change.now);
  requireInvited(invitation, user.email);
  if ((await change.records.users.findByEmail(user.email)) !== null) throw knownError();
  await change.records.users.insert(user);
  await useInvitation(change, user, invitation);
}

/** Gives a signed-in user the invited role. Returns its project, or null if there is none. */
export async function acceptInvitation(
  deps: ManagementDeps,
  principal: UserPrincipal,
  { secret, address }: { secret: string; address: string },
): Promise<string | null> {
  await readOffer(deps, address, secret);
  return changeManaged(deps, principal, async change => {
    const { records, now } = change;
    const invitation = await findOpenInvitation(records, secret, now);
    requireInvited(invitation, principal.user.email);
    const { place } = invitation;
    if (place === null) throw memberError('You already have an account; the invitation stays valid.');
    // The user may have changed since the request arrived.
    const user = (await records.users.find(principal.user.id)) ?? principal.user;
    const memberships = await records.memberships.listOfUser(user.id);
    const own = roleOfUser({ user, memberships }, place.project);
    if (own !== null && isRoleAtLeast(own, place.role)) {
      throw memberError(`You have the role ${own} in this project already; the invitation stays valid.`);
    }
    await useInvitation(change, user, invitation);
    return place.project;
  });
}

async function useInvitation(
  { records, now, audit }: Change,
  user: User,
  invitation: Invitation,
): Promise<void> {
  const { id, place, createdBy } = invitation;
  if (place !== null) await records.memberships.put({ userId: user.id, ...place });
  await records.invitations.update({ ...invitation, used: { at: now, userId: user.id } });
  const details = { ...(place && { role: place.role }), invitedBy: createdBy };
  await audit({ project: place?.project ?? null, action: 'invitation.use', target: id, details });
}

function knownError(): ServiceError {
  const sentence = 'An account with this email address already exists. Sign in, then open the link again.';
  return new ServiceError('name_taken', sentence, { field: 'email' });
}

function memberError(sentence: string): ServiceError {
  return new ServiceError('already_member', sentence);
}
