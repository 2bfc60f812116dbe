/** Revokes or keeps the tokens of a user who may no longer create them, after removal, demotion or deletion. */

import type { Records, Token, User } from '../ports/metadata.ts';
import type { Change } from '../projects/auditedChanges.ts';
import type { TokenKind } from '../vocabulary.ts';
import { isRoleAtLeast, roleOfUser } from './principals.ts';

export type TokensChoice = 'revoke' | 'keep';
/** How many tokens that the user may no longer create were revoked, and how many kept. */
export type OrphanedTokens = { revokedTokens: number; keptTokens: number };

/** Tokens of earlier versions record their maker only as text. */
function isMadeBy({ makerUserId, makerId, createdBy }: Token, { id, email }: User): boolean {
  if (makerUserId !== null) return makerUserId === id;
  return makerId === null && createdBy === `user ${email}`;
}

/**
 * Call this after a role change, within its transaction. Revoking a token also ends the tokens that it minted, and the sessions and upload
 * URLs of both.
 */
export async function endLostTokens(
  { records, now, audit }: Change,
  user: User,
  choice: TokensChoice,
): Promise<OrphanedTokens> {
  const lost = await listLostTokens(records, user);
  if (choice === 'keep' || lost.length === 0) return { revokedTokens: 0, keptTokens: lost.length };
  const ids = lost.map(({ id }) => id);
  const revoked = await records.tokens.revoke(ids, now);
  for (const { id, project, kind, name } of lost) {
    const details = { kind, name, madeBy: user.email };
    await audit({ project, action: 'token.revoke', target: id, details });
  }
  return { revokedTokens: revoked.length, keptTokens: 0 };
}

async function listLostTokens(records: Records, user: User): Promise<Token[]> {
  const made = (await records.tokens.list(null)).filter(token => isMadeBy(token, user));
  if (made.length === 0) return [];
  const current = await records.users.find(user.id);
  const memberships = await records.memberships.listOfUser(user.id);
  return made.filter(({ project, kind }) => {
    const role = current && roleOfUser({ user: current, memberships }, project);
    return role === null || !isRoleAtLeast(role, roleThatMakes(kind));
  });
}

/** Returns the role needed to create a token of this kind. */
export function roleThatMakes(kind: TokenKind): 'admin' | 'member' {
  return kind === 'admin' ? 'admin' : 'member';
}
