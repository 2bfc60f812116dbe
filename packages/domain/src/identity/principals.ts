/** The caller: a token or a signed-in user, with their role in a project. */

import type { Membership, Project, User } from '../ports/metadata.ts';
import { type CredentialKind, type Role, roles, ServiceError, type TokenAction } from '../vocabulary.ts';
import type { Scopes } from './scopes.ts';

export type TokenPrincipal = {
  kind: 'token';
  id: string;
  tokenKind: CredentialKind;
  name: string;
  prefix: string;
  project: Project;
  scopes: Scopes;
  /** The API token to count requests for; for a session, the token that reported it. */
  countedAs: string;
  /** null: never. A session ends with the tokens that reported it. */
  expiresAt: number | null;
};

export type UserPrincipal = {
  kind: 'user';
  user: User;
  sessionHash: string;
  sessionExpiresAt: number;
  memberships: readonly Membership[];
};

/** A caller who reads a project's files or log entries, and their scopes. */
export type Reader = { project: Project; scopes: Scopes };

/** A signed-in user in one project. */
export type UserReader = UserPrincipal & Reader;

/** The command line and the service itself have no credentials. */
export type Actor = TokenPrincipal | UserPrincipal | { kind: 'command line' } | { kind: 'service' };

/** What the audit log needs of an actor. */
export type NamedActor = Exclude<Actor, UserPrincipal> | Pick<UserPrincipal, 'kind' | 'user'>;

export function describeActor(actor: NamedActor): string {
  if (actor.kind === 'user') return `user ${actor.user.email}`;
  if (actor.kind === 'token') return `token ${actor.prefix}…${actor.name === '' ? '' : ` (${actor.name})`}`;
  return actor.kind;
}

/**
 * Names whose share of a shared resource the actor uses: a project's, or else a user's. Slugs, addresses and user keys differ in form, so they
 * never collide.
 */
export function nameShareKey(actor: Actor | UserReader): string {
  if ('project' in actor) return actor.project.slug;
  return actor.kind === 'user' ? `user ${actor.user.id}` : '';
}

/** Whether the actor is a signed-in installation owner, the command line or the service. */
export function ownsInstallation(actor: Actor): boolean {
  if (actor.kind === 'user') return actor.user.isOwner;
  return actor.kind !== 'token';
}

/** Returns the actor's role in a project; null if there is none. */
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

/** Throws if the actor is a restricted token that lacks one of the actions; `rule` says what such a token may do. */
export function requireScopes(actor: Actor, actions: Iterable<TokenAction>, rule: string): void {
  if (hasScopes(actor, actions) || actor.kind !== 'token') return;
  const own = [...(actor.scopes.actions ?? [])].join(', ');
  throw new ServiceError('scope_missing', `This token ${rule}: ${own}.`);
}

/** Users and unrestricted tokens have all actions. */
export function hasScopes(actor: Actor, actions: Iterable<TokenAction>): boolean {
  if (actor.kind !== 'token' || actor.scopes.actions === null) return true;
  return new Set(actions).isSubsetOf(actor.scopes.actions);
}

/** Throws unless the actor has at least this role. Without any role, the project seems not to exist. */
export function requireRole(actor: Actor, project: string, needed: Role): Role {
  const role = roleIn(actor, project);
  if (role === null) throw unknownProjectError();
  if (!isRoleAtLeast(role, needed)) {
    throw new ServiceError(
      'role_missing',
      `You need the role ${needed} in this project. Your role is ${role}.`,
    );
  }
  return role;
}

/** Does not repeat the name from the URL, because people paste tokens into URLs. */
export function unknownProjectError(): ServiceError {
  return new ServiceError('not_found', 'There is no such project.');
}
