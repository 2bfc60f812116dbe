/** Second factors: authenticator codes, and recovery codes for a lost authenticator. */
import { randomBytes } from 'node:crypto';
import { composeKeyUri, encodeBase32, findStep, newCodeSecret } from '@tapedeck/values/one-time-codes';
import { hashToken } from '@tapedeck/values/random-ids';
import type { SecondFactor } from '../ports/identity.ts';
import type { Records } from '../ports/metadata.ts';
import { type Change, changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { ServiceError, type SignInMethod } from '../vocabulary.ts';
import { confirmUser, requireLiveSession } from './passwordChecks.ts';
import type { Actor, UserPrincipal } from './principals.ts';
import { createTickets, createTokenSigner } from './signedTokens.ts';
import { forgiveAttempt, recordAttempt } from './signInAttempts.ts';
import { findUser } from './users.ts';

const recoveryCodesMade = 10; // one sheet of paper lasts for years
const recoveryCodeBytes = 10; // 80 bits: cannot be guessed, not even from the hashes
const setUpMs = 15 * 60_000; // time to find the phone and install an app

export type SecondFactorDeps = ManagementDeps & { secret: string };
/** The input and its client address. */
type Given = { password: string; code: string; address: string };

const sealOf = (secret: string) => createTokenSigner(secret, 'second factor');
const beginnings = (secret: string) =>
  createTickets<{ userId: string; codeSecret: string }>(secret, 'second factor', setUpMs);

export type Beginning = { secret: string; uri: string; ticket: string; expiresAt: number };

/** Changes nothing yet: a code must first show that the app has the secret. */
export async function beginSecondFactor(
  deps: SecondFactorDeps,
  principal: UserPrincipal,
  { password, address }: Omit<Given, 'code'>,
): Promise<Beginning> {
  const { user } = principal;
  if ((await deps.store.read.secondFactors.find(user.id)) !== null) throw knownError();
  await confirmUser(deps, principal, { password, address, field: 'password' });
  const secret = newCodeSecret();
  const content = { userId: user.id, codeSecret: secret };
  const ticket = beginnings(deps.secret).issue(content, deps.clock.now());
  const uri = composeKeyUri({ issuer: 'Tapedeck', account: user.email, secret });
  return { secret, uri, ticket: ticket.text, expiresAt: ticket.expiresAt };
}

/** Returns the recovery codes, which the user sees only once. */
export async function confirmSecondFactor(
  deps: SecondFactorDeps,
  { principal, address }: { principal: UserPrincipal; address: string },
  given: { ticket: string; code: string },
): Promise<string[]> {
  const userId = principal.user.id;
  const now = deps.clock.now();
  const tickets = beginnings(deps.secret);
  const ticket = tickets.read(given.ticket, now);
  const { codeSecret } = ticket.content;
  if (ticket.content.userId !== userId)
    throw new ServiceError('ticket_expired', 'Someone else started this. Start again.');
  const attempt = attemptOf(userId, address);
  await recordAttempt(deps, attempt);
  const step = findStep(codeSecret, given.code.replaceAll(/\s/g, ''), now);
  if (step === null) throw wrongCodeError();
  await forgiveAttempt(deps, attempt);
  return changeManaged(deps, principal, async ({ records, audit }) => {
    await requireLiveSession(records, principal);
    await tickets.spend(records, ticket);
    if ((await records.secondFactors.find(userId)) !== null) throw knownError();
    const secret = sealOf(deps.secret).close(codeSecret);
    await records.secondFactors.put({ userId, secret, createdAt: now, lastStep: step });
    await audit({ project: null, action: 'user.second_factor_on', target: userId });
    return makeRecoveryCodes(records, userId);
  });
}

/** Replaces the earlier recovery codes. */
export async function renewRecoveryCodes(
  deps: SecondFactorDeps,
  principal: UserPrincipal,
  given: Given,
): Promise<string[]> {
  const { id } = principal.user;
  return changeByBoth(deps, { principal, given }, async ({ records, audit }) => {
    await audit({ project: null, action: 'user.recovery_codes', target: id });
    return makeRecoveryCodes(records, id);
  });
}

export async function disableSecondFactor(
  deps: SecondFactorDeps,
  principal: UserPrincipal,
  given: Given,
): Promise<void> {
  const { id } = principal.user;
  await changeByBoth(deps, { principal, given }, async ({ records, audit }) => {
    await records.secondFactors.remove(id);
    await audit({ project: null, action: 'user.second_factor_off', target: id });
  });
}

/** Switches the second factor off for users who lost their app and recovery codes. Owners and the command line may do so. */
export async function resetSecondFactor(deps: ManagementDeps, actor: Actor, userId: string): Promise<void> {
  await changeManaged(deps, actor, async ({ records, audit }) => {
    await findUser(records, userId);
    if (!(await records.secondFactors.remove(userId))) {
      throw new ServiceError('not_found', 'This user has no second factor.');
    }
    await audit({ project: null, action: 'user.second_factor_reset', target: userId });
  });
}

/** Counts an attempt with a code. Wrong codes slow down further attempts, even with right passwords in between. */
export async function slowCodes<T>(
  deps: ManagementDeps,
  { userId, address }: { userId: string; address: string },
  attemptCode: () => Promise<T>,
): Promise<T> {
  const attempt = attemptOf(userId, address);
  await recordAttempt(deps, attempt);
  const result = await attemptCode();
  await forgiveAttempt(deps, attempt);
  return result;
}

/** Uses up an app code or recovery code in the same transaction as the action that it allows. */
export async function consumeCode(
  { records: { secondFactors }, now, ...deps }: Change & Pick<SecondFactorDeps, 'secret'>,
  { userId, secret }: SecondFactor,
  code: string,
): Promise<SignInMethod & ('code' | 'recovery_code')> {
  const plain = code.replaceAll(/[\s-]/g, '').toLowerCase();
  if (!/^\d{6}$/.test(plain)) {
    if (await secondFactors.consumeRecoveryCode(userId, hashToken(plain))) return 'recovery_code';
    const isRecoveryCode = /[a-z]/.test(plain);
    throw isRecoveryCode
      ? wrongCodeError('The recovery code is wrong or was already used. Use another one.')
      : wrongCodeError();
  }
  // null if the installation's secret has changed; recovery codes and a reset still help.
  const codeSecret = sealOf(deps.secret).open(secret);
  const step = codeSecret === null ? null : findStep(codeSecret, plain, now);
  if (step !== null && (await secondFactors.consumeStep(userId, step))) return 'code';
  throw wrongCodeError();
}

/** Makes a change that needs both the password and a code. */
async function changeByBoth<T>(
  deps: SecondFactorDeps,
  { principal, given }: { principal: UserPrincipal; given: Given },
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const { id: userId } = principal.user;
  await requireFactor(deps.store.read, userId);
  await confirmUser(deps, principal, { ...given, field: 'password' });
  return slowCodes(deps, { userId, address: given.address }, () =>
    changeManaged(deps, principal, async change => {
      await requireLiveSession(change.records, principal);
      const factor = await requireFactor(change.records, userId);
      await consumeCode({ ...change, secret: deps.secret }, factor, given.code);
      return work(change);
    }),
  );
}

async function requireFactor({ secondFactors }: Records, userId: string): Promise<SecondFactor> {
  const factor = await secondFactors.find(userId);
  if (factor === null) throw new ServiceError('not_found', 'You have no second factor.');
  return factor;
}

async function makeRecoveryCodes({ secondFactors }: Records, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodesMade }, () =>
    encodeBase32(randomBytes(recoveryCodeBytes)).toLowerCase(),
  );
  await secondFactors.replaceRecoveryCodes(userId, codes.map(hashToken));
  return codes.map(code => code.match(/.{4}/g)?.join('-') ?? code);
}

function attemptOf(userId: string, address: string) {
  return { address, account: `second factor of ${userId}` };
}

function wrongCodeError(
  sentence = 'The code is wrong or was already used. Wait for the next one.',
): ServiceError {
  return new ServiceError('sign_in_failed', sentence, { field: 'code' });
}

function knownError(): ServiceError {
  return new ServiceError('second_factor_on', 'You already have a second factor. Turn it off first.');
}
