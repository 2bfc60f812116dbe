/** Remembers who made an upload URL. The URL works only while its maker could still make it. */
import { ServiceError } from '../../vocabulary.ts';
import type { AccessDirectory } from '../identity/access.ts';
import { isRoleAtLeast, roleOfUser, type TokenPrincipal, type UserReader } from '../identity/principals.ts';
import type { MetadataStore } from '../ports/metadata.ts';

export type GrantMaker = { kind: 'token' | 'user'; id: string };

export type MakerDeps = {
  access: Pick<AccessDirectory, 'areTokensAlive'>;
  store: Pick<MetadataStore, 'read'>;
};

export function nameMaker(principal: TokenPrincipal | UserReader): GrantMaker {
  return { kind: principal.kind, id: principal.kind === 'token' ? principal.id : principal.user.id };
}

/** The end of what the maker makes, in Unix milliseconds and whole seconds; what ends within its second is judged when used. */
export function endWithMaker(maker: TokenPrincipal | UserReader, expiresAt: number): number {
  if (maker.kind === 'user' || maker.expiresAt === null) return expiresAt;
  return Math.min(expiresAt, Math.ceil(maker.expiresAt / 1000) * 1000);
}

/** Throws `presigned_expired` when the token has ended, or the user is gone or no longer uploads to the project. */
export async function requireLivingMaker(
  { access, store }: MakerDeps,
  { maker, project }: { maker: GrantMaker | null; project: string },
): Promise<void> {
  if (maker === null) return;
  if (maker.kind === 'token') {
    if (await access.areTokensAlive([maker.id])) return;
    throw endedError('The token behind this upload URL has expired or has been revoked; ask for a new one.');
  }
  const [user, memberships] = await Promise.all([
    store.read.users.find(maker.id),
    store.read.memberships.listOfUser(maker.id),
  ]);
  const role = user && roleOfUser({ user, memberships }, project);
  if (role !== null && isRoleAtLeast(role, 'member')) return;
  throw endedError(
    'Whoever made this upload URL no longer uploads to this project; ask somebody for a new one.',
  );
}

function endedError(sentence: string): ServiceError {
  return new ServiceError('presigned_expired', sentence);
}
