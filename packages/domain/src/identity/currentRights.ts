/** Finds the present rights of a caller whose work outlasts the request. */

import type { MetadataStore } from '../ports/metadata.ts';
import { ServiceError, type TokenKind } from '../vocabulary.ts';
import type { AccessDirectory } from './access.ts';
import { isRoleAtLeast, type Reader, roleOfUser } from './principals.ts';
import { noScopes, readScopes } from './scopes.ts';

export type RightsDeps = {
  access: Pick<AccessDirectory, 'areTokensAlive' | 'findToken' | 'findProject'>;
  store: Pick<MetadataStore, 'read'>;
};

type Requester = { project: string; askerKind: 'token' | 'user'; askerId: string };

const writingKind: TokenKind = 'media';

/** Throws if the caller may no longer change files of the project. The error is worded for others to read. */
export async function findWriter(deps: RightsDeps, requester: Requester): Promise<Reader> {
  const project = await deps.store.read.projects.find(requester.project);
  if (project === null || project.deletedAt !== null)
    throw new ServiceError('not_found', 'The project was deleted.');
  const scopes =
    requester.askerKind === 'user' ? await admitUser(deps, requester) : await admitToken(deps, requester);
  return { project, scopes };
}

/** Checks the user, not the session: signing out ends no work. */
async function admitUser({ store }: RightsDeps, { project, askerId }: Requester) {
  const user = await store.read.users.find(askerId);
  const memberships = user === null ? [] : await store.read.memberships.listOfUser(askerId);
  const role = user && roleOfUser({ user, memberships }, project);
  if (role === null || !isRoleAtLeast(role, 'member'))
    throw new ServiceError(
      'role_missing',
      'The user who asked for it may no longer change files in this project.',
    );
  return noScopes;
}

async function admitToken({ access }: RightsDeps, { project, askerId }: Requester) {
  const isAlive = await access.areTokensAlive([askerId]);
  const token = access.findToken(askerId);
  if (!isAlive || token === null || token.project !== project)
    throw new ServiceError('token_revoked', 'The token that asked for it is no longer valid.');
  const scopes = readScopes(token.scopes, token.kind);
  if (token.kind !== writingKind || scopes.actions?.has('write') === false)
    throw new ServiceError('scope_missing', 'The token that asked for it may no longer change files.');
  return scopes;
}
