/** Creates, lists and revokes API tokens. A token is shown once; lists show its first characters. */

import { Failure } from '@tapedeck/values/failure';
import { hashToken, newId, newToken } from '@tapedeck/values/random-ids';
import { parseFolderPath } from '../files/folderPath.ts';
import type { Records, Token } from '../ports/metadata.ts';
import { changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { findLivingProject } from '../projects/projects.ts';
import { invalidFieldError, patterns, ServiceError, type TokenKind, tokenActions } from '../vocabulary.ts';
import { roleThatMakes } from './orphanedTokens.ts';
import {
  type Actor,
  describeActor,
  isRoleAtLeast,
  requireRole,
  requireScopes,
  type UserPrincipal,
} from './principals.ts';
import { readScopes } from './scopes.ts';

const shownCharacters = 4; // enough to recognise a token, far too few to guess it

export type TokenInput = {
  project: string;
  kind: TokenKind;
  name: string;
  scopes: readonly string[];
  expiresAt: number | null;
};

export async function createToken(
  deps: ManagementDeps,
  actor: Actor,
  input: TokenInput,
): Promise<{ text: string; token: Token }> {
  requireKindAllowed(actor, input);
  requireNotWider(actor, input);
  requireNotLonger(actor, input);
  const makerId = actor.kind === 'token' ? actor.id : null;
  const now = deps.clock.now();
  if (input.expiresAt !== null && input.expiresAt <= now) {
    throw invalidFieldError('expiresAt', 'expiresAt must be in the future.');
  }
  if (!new RegExp(patterns.line).test(input.name))
    throw invalidFieldError('name', 'The name must be one line without control characters.');
  for (const folder of readScopes(input.scopes, input.kind).paths ?? []) requireFolder(folder);
  const text = newToken();
  const token: Token = {
    ...input,
    id: newId(),
    prefix: text.slice(0, shownCharacters),
    hash: hashToken(text),
    createdAt: now,
    createdBy: describeActor(actor),
    lastUsedAt: null,
    revokedAt: null,
    makerId,
    makerUserId: actor.kind === 'user' ? actor.user.id : null,
  };
  await changeManaged(deps, actor, async ({ records, audit }) => {
    await findLivingProject(records, input.project);
    if (makerId !== null) await requireNotRevoked(records, makerId);
    if (actor.kind === 'user') await requireStillAllowed(records, actor, input);
    await records.tokens.insert(token);
    const { kind, name, scopes, project } = input;
    await audit({ project, action: 'token.create', target: token.id, details: { kind, name, scopes } });
  });
  return { text, token };
}

export async function listTokens(
  deps: Pick<ManagementDeps, 'store'>,
  project: string | null,
): Promise<Token[]> {
  return deps.store.read.tokens.list(project);
}

/** Revokes the token and all tokens that it minted. `project` null searches all projects. */
export async function revokeToken(
  deps: ManagementDeps,
  actor: Actor,
  which: { id: string; project: string | null },
): Promise<void> {
  await changeManaged(deps, actor, async ({ records, now, audit }) => {
    const token = await records.tokens.find(which.id);
    if (
      token === null ||
      token.revokedAt !== null ||
      (which.project !== null && token.project !== which.project)
    ) {
      throw new ServiceError('not_found', 'There is no token with this id.');
    }
    requireKindAllowed(actor, token);
    const minted = (await records.tokens.revoke([token.id], now)).length - 1;
    const { project, kind, name } = token;
    const details = { kind, name, ...(minted > 0 && { minted }) };
    await audit({ project, action: 'token.revoke', target: token.id, details });
  });
}

/** Reports a bad folder as an error of the field `scopes`, which contains it. */
function requireFolder(folder: string): void {
  try {
    parseFolderPath(folder);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    throw new ServiceError(cause.code, cause.message, { cause, field: 'scopes' });
  }
}

/** Only admins create or revoke admin tokens, because those manage the project. */
function requireKindAllowed(actor: Actor, token: { project: string; kind: TokenKind }): void {
  const role = requireRole(actor, token.project, 'member');
  if (!isRoleAtLeast(role, roleThatMakes(token.kind))) {
    throw new ServiceError('role_missing', `Admin tokens need the role admin. Your role is ${role}.`);
  }
}

/** Throws if a restricted admin token would make a token with more rights than its own. */
function requireNotWider(actor: Actor, input: TokenInput): void {
  const { actions } = readScopes(input.scopes, input.kind);
  requireScopes(actor, actions ?? tokenActions, 'makes tokens with no more scopes than its own');
}

/** Runs inside the change, so that a token cannot mint another after its revocation. */
async function requireNotRevoked(records: Records, makerId: string): Promise<void> {
  if ((await records.tokens.find(makerId))?.revokedAt === null) return;
  throw new ServiceError('token_revoked', 'This token has been revoked; create a new one.');
}

/** Runs inside the change, so that a removed user cannot create tokens afterwards. */
async function requireStillAllowed(records: Records, actor: UserPrincipal, input: TokenInput): Promise<void> {
  const user = await records.users.find(actor.user.id);
  if (user === null) throw new ServiceError('session_missing', 'Your account has been deleted.');
  const memberships = await records.memberships.listOfUser(user.id);
  requireKindAllowed({ ...actor, user, memberships }, input);
}

/** Throws if the new token would outlive the token that makes it. */
function requireNotLonger(actor: Actor, { expiresAt }: TokenInput): void {
  if (actor.kind !== 'token' || actor.expiresAt === null) return;
  if (expiresAt !== null && expiresAt <= actor.expiresAt) return;
  const end = new Date(actor.expiresAt).toISOString();
  throw new ServiceError(
    'scope_missing',
    `This token makes tokens that end no later than itself: send an expiresAt up to ${end}.`,
  );
}
