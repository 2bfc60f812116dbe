/** Checks the maker of an upload URL. The URL works only while its maker could still make it. */

import type { AccessDirectory } from '../identity/access.ts';
import { isRoleAtLeast, roleOfUser, type TokenPrincipal, type UserReader } from '../identity/principals.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { type Role, ServiceError } from '../vocabulary.ts';

export type GrantMaker = { kind: 'token' | 'user'; id: string };

export type MakerDeps = {
  access: Pick<AccessDirectory, 'areTokensAlive'>;
  store: Pick<MetadataStore, 'read'>;
};

export function nameMaker(principal: TokenPrincipal | UserReader): GrantMaker {
  return { kind: principal.kind, id: principal.kind === 'token' ? principal.id : principal.user.id };
}

/** Limits `expiresAt` to the maker's own, in Unix milliseconds, rounded up to seconds; `isMakerAlive` covers the last second. */
export function endWithMaker(maker: TokenPrincipal | UserReader, expiresAt: number): number {
  if (maker.kind === 'user' || maker.expiresAt === null) return expiresAt;
  return Math.min(expiresAt, Math.ceil(maker.expiresAt / 1000) * 1000);
}

/** Throws `presigned_expired` if the token has ended, or the user is gone or may no longer upload to the project. */
export async function requireLivingMaker(
  deps: MakerDeps,
  { maker, project }: { maker: GrantMaker | null; project: string },
): Promise<void> {
  if (maker === null || (await isMakerAlive(deps, { maker, project, role: 'member' }))) return;
  throw endedError(
    maker.kind === 'token'
      ? 'The token behind this upload URL has expired or has been revoked; ask for a new one.'
      : 'The person who made this upload URL can no longer upload to this project. Ask for a new one.',
  );
}

/** Whether the token is still valid, or the user still has the role in the project. */
export async function isMakerAlive(
  { access, store }: MakerDeps,
  { maker, project, role: least }: { maker: GrantMaker; project: string; role: Role },
): Promise<boolean> {
  if (maker.kind === 'token') return await access.areTokensAlive([maker.id]);
  const [user, memberships] = await Promise.all([
    store.read.users.find(maker.id),
    store.read.memberships.listOfUser(maker.id),
  ]);
  const role = user && roleOfUser({ user, memberships }, project);
  return role !== null && isRoleAtLeast(role, least);
}

function endedError(sentence: string): ServiceError {
  return new ServiceError('presigned_expired', sentence);
}
