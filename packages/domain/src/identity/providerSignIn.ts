/**
 * Signs users in with an OpenID provider. An identity belongs to the user who linked it, or to the user whose email address both the provider
 * and this installation have verified. New users need an invitation, or a setting that admits them.
 */
import { newId, newToken } from '@tapedeck/values/random-ids';
import type { IdentityProvider, ProvidedIdentity, ProviderQuestion } from '../ports/identityProvider.ts';
import type { Records, User } from '../ports/metadata.ts';
import { type Change, changeManaged } from '../projects/auditedChanges.ts';
import { limits, ServiceError } from '../vocabulary.ts';
import { isEmailVerified } from './emailAddresses.ts';
import { makeInvitedUser } from './invitationAcceptance.ts';
import { confirmUser, requireLiveSession } from './passwordChecks.ts';
import type { UserPrincipal } from './principals.ts';
import type { SecondFactorDeps } from './secondFactors.ts';
import { createTickets } from './signedTokens.ts';
import { type Arrival, actorOf, completeFirstFactor, type SignedIn, type Visitor } from './signIn.ts';

/** Who may join without an invitation: none, any, or addresses of these domains. */
export type ProviderNewcomers = 'none' | 'any' | readonly string[];

export type ProviderDeps = SecondFactorDeps & {
  provider: IdentityProvider | null;
  providerNewcomers: ProviderNewcomers;
};

/** A sign-in at the provider that has begun. Kept sealed in the browser. */
type PendingSignIn = ProviderQuestion & {
  /** The dashboard page to continue on. */
  back: string;
  invitation: string | null;
  /** The user to link the identity to. */
  userId: string | null;
};

const pendingMs = 10 * 60_000; // time to sign in there
const pendingSignIns = (secret: string) => createTickets<PendingSignIn>(secret, 'provider', pendingMs);

export type NewSignIn = { returnTo: string; back: string; invitation: string | null };
export type Redirect = { url: string; ticket: string; expiresAt: number };

export async function beginProviderSignIn(deps: ProviderDeps, signIn: NewSignIn): Promise<Redirect> {
  return redirect(deps, { ...signIn, userId: null });
}

/** Asks for the password, because this adds a way to sign in. */
export async function beginLinking(
  deps: ProviderDeps,
  principal: UserPrincipal,
  { password, address, ...signIn }: Omit<NewSignIn, 'invitation'> & { password: string; address: string },
): Promise<Redirect> {
  await confirmUser(deps, principal, { password, address, field: 'password' });
  return redirect(deps, { ...signIn, invitation: null, userId: principal.user.id });
}

async function redirect(
  deps: ProviderDeps,
  { returnTo, ...signIn }: NewSignIn & { userId: string | null },
): Promise<Redirect> {
  const question = { state: newToken(), nonce: newToken(), verifier: newToken() + newToken() };
  const url = await requireProvider(deps).ask(question, returnTo);
  const ticket = pendingSignIns(deps.secret).issue({ ...question, ...signIn }, deps.clock.now());
  return { url, ticket: ticket.text, expiresAt: ticket.expiresAt };
}

export type ProviderReturn = { back: string; outcome: SignedIn | { kind: 'linked' } };

/** `principal`: the user signed in to the browser that came back, if any. */
export async function finishProviderSignIn(
  deps: ProviderDeps,
  visitor: Visitor & { principal: UserPrincipal | null },
  given: { ticket: string; address: URL },
): Promise<ProviderReturn> {
  const provider = requireProvider(deps);
  const ticket = pendingSignIns(deps.secret).read(given.ticket, deps.clock.now());
  const pending = ticket.content;
  const identity = await provider.hear(pending, given.address);
  const spend = (records: Records) => pendingSignIns(deps.secret).spend(records, ticket);
  if (pending.userId !== null) {
    const { principal } = visitor;
    if (principal?.user.id !== pending.userId)
      throw new ServiceError('ticket_expired', 'You are now signed in as someone else. Start again.');
    await changeManaged(deps, principal, async change => {
      await requireLiveSession(change.records, principal);
      await spend(change.records);
      await linkIdentity(change, principal.user, identity);
    });
    return { back: pending.back, outcome: { kind: 'linked' } };
  }
  const arrival: Arrival = { ...visitor, method: 'provider' };
  const outcome = await changeManaged(deps, { kind: 'service' }, async change => {
    await spend(change.records);
    const user = await findKnown(change, identity);
    return user && completeFirstFactor({ ...change, secret: deps.secret }, user, arrival);
  });
  const { back, invitation } = pending;
  return { back, outcome: outcome ?? (await admitNewcomer(deps, { identity, invitation }, arrival)) };
}

/** Finds the identity's user. Links a user with the same email address if both sides have verified it. */
async function findKnown(change: Change, identity: ProvidedIdentity): Promise<User | null> {
  const { records, now } = change;
  const linked = await records.identities.findBySubject(identity.issuer, identity.subject);
  if (linked !== null) {
    await records.identities.recordUse(linked.id, now);
    const user = await records.users.find(linked.userId);
    if (user !== null) await verifyEmail(change, user, identity);
    return user;
  }
  const user = identity.email === null ? null : await records.users.findByEmail(identity.email);
  if (user === null) return null;
  // The user may have typed someone else's address.
  if (!isEmailVerified(user)) throw unverifiedError();
  await linkIdentity(change, user, identity);
  return user;
}

/** Marks the address verified if the provider has verified it for this user. */
async function verifyEmail(
  { records }: Pick<Change, 'records'>,
  user: User,
  { email }: ProvidedIdentity,
): Promise<void> {
  const current = await records.users.find(user.id);
  if (current === null || email !== current.email || isEmailVerified(current)) return;
  await records.users.update({ ...current, verifiedEmail: email });
}

function unverifiedError(): ServiceError {
  const sentence =
    'An account here has your email address, but nobody has verified that it is yours. Sign in with its password and link the provider under Account, or ask an owner of the installation.';
  return new ServiceError('provider_email_unverified', sentence);
}

/** Creates the user and signs them in. */
async function admitNewcomer(
  deps: ProviderDeps,
  { identity, invitation }: { identity: ProvidedIdentity; invitation: string | null },
  arrival: Arrival,
): Promise<SignedIn> {
  const mayCome = mayComeUninvited(deps.providerNewcomers, identity.email);
  if (invitation === null && !mayCome) {
    const sentence = 'No user here is linked to this provider account. Ask for an invitation.';
    throw new ServiceError('provider_user_unknown', sentence);
  }
  if (identity.email === null) {
    const sentence = 'The provider sent no verified email address, and an account needs one.';
    throw new ServiceError('provider_email_missing', sentence);
  }
  const user: User = {
    id: newId(),
    email: identity.email,
    verifiedEmail: identity.email,
    name: readName(identity),
    passwordHash: '',
    isOwner: false,
    createdAt: deps.clock.now(),
  };
  return changeManaged(deps, actorOf(user), async change => {
    if (invitation !== null) await makeInvitedUser(change, user, invitation);
    else {
      await change.records.users.insert(user);
      const details = { email: user.email, isOwner: false };
      await change.audit({ project: null, action: 'user.create', target: user.id, details });
    }
    await linkIdentity(change, user, identity);
    return completeFirstFactor({ ...change, secret: deps.secret }, user, arrival);
  });
}

/** Cuts a name to one line of the allowed length, without half a surrogate pair at its end. */
function readName({ name, subject }: ProvidedIdentity): string {
  const line = name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return (line || subject).slice(0, limits.nameCharactersMax).toWellFormed();
}

function mayComeUninvited(newcomers: ProviderNewcomers, email: string | null): boolean {
  if (newcomers === 'none' || newcomers === 'any') return newcomers === 'any';
  const domain = email?.split('@').at(-1);
  return domain !== undefined && newcomers.includes(domain);
}

async function linkIdentity(change: Change, user: User, identity: ProvidedIdentity): Promise<void> {
  const { records, now, audit } = change;
  const { issuer, subject, name, email } = identity;
  await verifyEmail(change, user, identity);
  const known = await records.identities.findBySubject(issuer, subject);
  if (known?.userId === user.id) return;
  const label = (email ?? name).slice(0, limits.emailCharactersMax);
  await records.identities.insert({
    id: newId(),
    issuer,
    subject,
    userId: user.id,
    label,
    createdAt: now,
    lastUsedAt: now,
  });
  const details = { email: user.email, issuer, label };
  await audit({ project: null, action: 'user.identity_link', target: user.id, details });
}

/** Keeps the user's last sign-in method. */
export async function unlinkIdentity(
  deps: SecondFactorDeps,
  principal: UserPrincipal,
  id: string,
): Promise<void> {
  const { user } = principal;
  await changeManaged(deps, principal, async ({ records, audit }) => {
    const identities = await records.identities.listOfUser(user.id);
    const others = identities.length - 1 + (await records.passkeys.listOfUser(user.id)).length;
    const current = await records.users.find(user.id);
    if (identities.every(identity => identity.id !== id))
      throw new ServiceError('not_found', 'You have no linked identity with this id.');
    if (others === 0 && current?.passwordHash === '') throw lastSignInMethodError();
    await records.identities.remove(user.id, id);
    await audit({ project: null, action: 'user.identity_unlink', target: user.id });
  });
}

export function lastSignInMethodError(): ServiceError {
  return new ServiceError('last_way_in', 'This is your only way to sign in. Set a password first.');
}

function requireProvider({ provider }: ProviderDeps): IdentityProvider {
  if (provider !== null) return provider;
  throw new ServiceError('not_found', 'No sign-in provider is set up here.');
}
