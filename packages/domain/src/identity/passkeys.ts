/** Passkeys: registration and sign-in without a password. A passkey counts as both factors, because it verifies the user. */

import { newToken } from '@tapedeck/values/random-ids';
import { findClientSubnet } from '@tapedeck/web/client-addresses';
import type { UrlDeps } from '../files/naming.ts';
import type { Passkey } from '../ports/identity.ts';
import type {
  PasskeyChecks,
  PasskeyExpectation,
  RegistrationResponse,
  SignInResponse,
} from '../ports/passkeyChecks.ts';
import { changeManaged } from '../projects/auditedChanges.ts';
import { ServiceError } from '../vocabulary.ts';
import { confirmUser, requireLiveSession } from './passwordChecks.ts';
import type { UserPrincipal } from './principals.ts';
import { lastSignInMethodError } from './providerSignIn.ts';
import type { SecondFactorDeps } from './secondFactors.ts';
import { createTickets } from './signedTokens.ts';
import { actorOf, type NewSession, openSession, type Visitor } from './signIn.ts';
import { forgiveAttempt, recordAttempt } from './signInAttempts.ts';

const passkeysMax = 20; // per user: more than anyone's devices
const ticketMs = 5 * 60_000; // time to find and touch the device
/** COSE: EdDSA, ES256, RS256. Every authenticator supports one of them. */
const algorithms = [-8, -7, -257];

export type PasskeyDeps = SecondFactorDeps & { address: UrlDeps['address']; passkeyChecks: PasskeyChecks };

const registrations = (secret: string) =>
  createTickets<{ challenge: string; userId: string }>(secret, 'passkey registration', ticketMs);
const signIns = (secret: string) => createTickets<{ challenge: string }>(secret, 'passkey sign-in', ticketMs);

/** Browsers allow passkeys only on secure pages, and not on IP addresses. */
export function arePasskeysPossible({ address }: Pick<PasskeyDeps, 'address'>): boolean {
  const { protocol, hostname } = new URL(address.publicUrl);
  if (/^\[|^[\d.]+$/.test(hostname)) return false;
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

function placeOf({ address }: PasskeyDeps, challenge: string): PasskeyExpectation {
  const { origin, hostname } = new URL(address.publicUrl);
  return { challenge, origin, host: hostname };
}

export async function beginRegistration(
  deps: PasskeyDeps,
  principal: UserPrincipal,
  given: { password: string; address: string },
) {
  const { user } = principal;
  await confirmUser(deps, principal, { ...given, field: 'password' });
  const known = await deps.store.read.passkeys.listOfUser(user.id);
  if (known.length >= passkeysMax)
    throw new ServiceError('invalid_field', `You have ${passkeysMax} passkeys; remove one first.`);
  const challenge = newToken();
  const ticket = registrations(deps.secret).issue({ challenge, userId: user.id }, deps.clock.now());
  const options = {
    rp: { id: placeOf(deps, challenge).host, name: 'Tapedeck' },
    user: { id: encode(user.id), name: user.email, displayName: user.name },
    challenge: encode(challenge),
    pubKeyCredParams: algorithms.map(alg => ({ type: 'public-key' as const, alg })),
    timeout: ticketMs,
    excludeCredentials: known.map(({ id }) => ({ type: 'public-key' as const, id })),
    authenticatorSelection: { residentKey: 'required' as const, userVerification: 'required' as const },
    attestation: 'none' as const,
  };
  return { ticket: ticket.text, options };
}

export async function finishRegistration(
  deps: PasskeyDeps,
  principal: UserPrincipal,
  given: { ticket: string; name: string; credential: RegistrationResponse },
): Promise<Passkey> {
  const { user } = principal;
  const tickets = registrations(deps.secret);
  const ticket = tickets.read(given.ticket, deps.clock.now());
  if (ticket.content.userId !== user.id)
    throw new ServiceError('ticket_expired', 'Someone else started this. Start again.');
  const place = placeOf(deps, encode(ticket.content.challenge));
  const found = await deps.passkeyChecks.checkRegistration(given.credential, place);
  if (found === null) {
    const sentence =
      'The passkey was made for another address, or your device did not verify you. Try again.';
    throw new ServiceError('passkey_refused', sentence);
  }
  return changeManaged(deps, principal, async ({ records, now, audit }) => {
    await requireLiveSession(records, principal);
    await tickets.spend(records, ticket);
    if ((await records.passkeys.find(found.id)) !== null)
      throw new ServiceError('passkey_refused', 'This passkey is already registered.');
    const passkey = { ...found, userId: user.id, name: given.name, createdAt: now, lastUsedAt: null };
    await records.passkeys.insert(passkey);
    const details = { name: given.name };
    await audit({ project: null, action: 'user.passkey_add', target: user.id, details });
    return passkey;
  });
}

export async function removePasskey(deps: PasskeyDeps, principal: UserPrincipal, id: string): Promise<void> {
  const { user } = principal;
  await changeManaged(deps, principal, async ({ records, audit }) => {
    const passkeys = await records.passkeys.listOfUser(user.id);
    const passkey = passkeys.find(each => each.id === id);
    if (passkey === undefined) throw new ServiceError('not_found', 'You have no passkey with this id.');
    const others = passkeys.length - 1 + (await records.identities.listOfUser(user.id)).length;
    const current = await records.users.find(user.id);
    if (others === 0 && current?.passwordHash === '') throw lastSignInMethodError();
    await records.passkeys.remove(user.id, id);
    const details = { name: passkey.name };
    await audit({ project: null, action: 'user.passkey_remove', target: user.id, details });
  });
}

/** Asks for no name, because the passkey identifies the user. */
export function beginPasskeySignIn(deps: PasskeyDeps) {
  const challenge = newToken();
  const ticket = signIns(deps.secret).issue({ challenge }, deps.clock.now());
  const options = {
    challenge: encode(challenge),
    rpId: placeOf(deps, challenge).host,
    timeout: ticketMs,
    userVerification: 'required' as const,
  };
  return { ticket: ticket.text, options };
}

export async function signInByPasskey(
  deps: PasskeyDeps,
  visitor: Visitor,
  given: { ticket: string; credential: SignInResponse },
): Promise<NewSession> {
  const tickets = signIns(deps.secret);
  const ticket = tickets.read(given.ticket, deps.clock.now());
  const attempt = { address: visitor.address, account: `passkeys of ${findClientSubnet(visitor.address)}` };
  await recordAttempt(deps, attempt);
  const { read } = deps.store;
  const passkey = await read.passkeys.find(given.credential.id);
  const user = passkey && (await read.users.find(passkey.userId));
  const place = placeOf(deps, encode(ticket.content.challenge));
  const { userHandle } = given.credential.response;
  const isTheirs = user !== null && (userHandle === undefined || userHandle === encode(user.id));
  const counter =
    passkey && isTheirs ? await deps.passkeyChecks.checkSignIn(given.credential, place, passkey) : null;
  if (passkey === null || user === null || counter === null) throw uselessError();
  await forgiveAttempt(deps, attempt);
  return changeManaged(deps, actorOf(user), async change => {
    const { records, now } = change;
    await tickets.spend(records, ticket);
    // Verifying the response takes a while; the passkey may have been removed or used since.
    const current = await records.passkeys.find(passkey.id);
    const currentUser = await records.users.find(user.id);
    const isSame = current?.userId === user.id && current.publicKey === passkey.publicKey;
    if (!isSame || currentUser === null || isCountedBackwards(current, counter)) throw uselessError();
    await records.passkeys.recordUse(passkey.id, { counter, usedAt: now });
    return openSession(change, currentUser, { ...visitor, method: 'passkey' });
  });
}

/** A counter that does not rise suggests a cloned authenticator. 0: it does not count. */
function isCountedBackwards(current: Passkey, counter: number): boolean {
  return (current.counter > 0 || counter > 0) && counter <= current.counter;
}

function uselessError(): ServiceError {
  return new ServiceError('sign_in_failed', 'This passkey is not registered here. Sign in another way.');
}

/** Encodes bytes as WebAuthn does in JSON. */
function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
