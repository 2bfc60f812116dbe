/** The caller: a token or a signed-in user, with their role in a project. */
import { type CredentialKind, type Role, roles, ServiceError, type TokenAction } from '../../vocabulary.ts';
import type { Membership, Project, User } from '../ports/metadata.ts';
import type { Scopes } from './scopes.ts';

export type TokenPrincipal = {
  kind: 'token';
  id: string;
  tokenKind: CredentialKind;
  name: string;
  prefix: string;
  project: Project;
  scopes: Scopes;
  /** The API token whose requests these are: a session counts as the token that reported it. */
  countedAs: string;
  /** null: never. A session ends with those who reported it. */
  expiresAt: number | null;
};

export type UserPrincipal = {
  kind: 'user';
  user: User;
  sessionHash: string;
  sessionExpiresAt: number;
  memberships: readonly Membership[];
};

/** The project whose files or log entries are read, and the scopes of the reader. */
export type Reader = { project: Project; scopes: Scopes };

/** A signed-in user in one project. */
export type UserReader = UserPrincipal & Reader;

/** The command line and the service itself act without a credential. */
export type Actor = TokenPrincipal | UserPrincipal | { kind: 'command line' } | { kind: 'service' };

export function describeActor(actor: Actor): string {
  if (actor.kind === 'user') return `user ${actor.user.email}`;
  if (actor.kind === 'token') return `token ${actor.prefix}…${actor.name === '' ? '' : ` (${actor.name})`}`;
  return actor.kind;
}

/**
 * Who the actor's part of something shared counts for: a project, or else a user. Slugs, addresses and the names of users
 * differ in form, so that none is taken for another.
 */
export function nameShareKey(actor: Actor | UserReader): string {
  if ('project' in actor) return actor.project.slug;
  return actor.kind === 'user' ? `user ${actor.user.id}` : '';
}

/** A signed-in owner of the installation, or somebody on the machine itself. */
export function ownsInstallation(actor: Actor): boolean {
  if (actor.kind === 'user') return actor.user.isOwner;
  return actor.kind !== 'token';
}

/** The role in a project; null when it is none of theirs. */
export function roleIn(actor: Actor, project: string): Role | null {
  if (actor.kind === 'command line' || actor.kind === 'service') return 'owner';
  if (actor.kind === 'token') {
    return actor.tokenKind === 'admin' && actor.project.slug === project ? 'admin' : null;
  }
  return roleOfUser(actor, project);
}

export function roleOfUser(
  { user, memberships }: Pick<UserPrincipal, 'user' | 'memberships'>,
  project: string,
): Role | null {
  if (user.isOwner) return 'owner';
  return memberships.find(membership => membership.project === project)?.role ?? null;
}

export function isRoleAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}

/** Throws when the actor is a narrowed token that lacks one of the actions; `rule` says what such a token does. */
export function requireScopes(actor: Actor, actions: Iterable<TokenAction>, rule: string): void {
  if (hasScopes(actor, actions) || actor.kind !== 'token') return;
  const own = [...(actor.scopes.actions ?? [])].join(', ');
  throw new ServiceError('scope_missing', `This token ${rule}: ${own}.`);
}

/** People, and tokens that are not narrowed, have all. */
export function hasScopes(actor: Actor, actions: Iterable<TokenAction>): boolean {
  if (actor.kind !== 'token' || actor.scopes.actions === null) return true;
  return new Set(actions).isSubsetOf(actor.scopes.actions);
}

/** A project in which the actor has no role answers as if it did not exist. */
export function requireRole(actor: Actor, project: string, needed: Role): Role {
  const role = roleIn(actor, project);
  if (role === null) throw unknownProjectError();
  if (!isRoleAtLeast(role, needed)) {
    throw new ServiceError(
      'role_missing',
      `This needs the role ${needed} in the project. Your role is ${role}.`,
    );
  }
  return role;
}

/** Does not repeat the name from the URL, because people paste tokens into URLs. */
export function unknownProjectError(): ServiceError {
  return new ServiceError('not_found', 'There is no such project.');
}
