/** Users of the installation and their roles in projects. */
import Type from 'typebox';
import { Account, ProjectRole } from './accounts.ts';
import { defineRoute, StatusOk } from './route.ts';
import { Email, Id, Name, Password, ProjectParams, RoleName, Slug } from './values.ts';

const area = 'Users';
const UserParams = Type.Object({ user: Id });
const MemberParams = Type.Object({ ...ProjectParams.properties, user: Id });
const UserAnswer = Type.Object({
  user: Account,
  projects: Type.Array(ProjectRole),
  hasSecondFactor: Type.Boolean(),
});
const TokensChoice = {
  tokens: Type.Optional(
    Type.Union([Type.Literal('revoke'), Type.Literal('keep')], {
      default: 'revoke',
      description: 'What happens to tokens that the user created but may no longer create.',
    }),
  ),
};
const TokensQuery = Type.Object(TokensChoice);
const OrphanedTokens = {
  revokedTokens: Type.Integer({ description: 'Number of revoked tokens, with those that they created.' }),
  keptTokens: Type.Integer({ description: 'Number of kept tokens that the user may no longer create.' }),
};
export const Member = Type.Object({ id: Id, email: Type.String(), name: Type.String(), role: RoleName });

export const listUsers = defineRoute({
  id: 'listUsers',
  method: 'GET',
  path: '/api/manage/users',
  area,
  summary: 'List all users.',
  access: { by: 'owner' },
  answer: Type.Object({ users: Type.Array(Account) }),
  errors: [],
});

export const createUser = defineRoute({
  id: 'createUser',
  method: 'POST',
  path: '/api/manage/users',
  area,
  summary: 'Create a user. If you name a project, the user gets a role in it.',
  access: { by: 'owner' },
  body: Type.Object({
    email: Email,
    password: Password,
    name: Type.Optional(Name),
    isOwner: Type.Optional(Type.Boolean({ default: false })),
    project: Type.Optional(Slug),
    role: Type.Optional(RoleName),
  }),
  answer: UserAnswer,
  errors: ['name_taken', 'not_found'],
});

export const getUser = defineRoute({
  id: 'getUser',
  method: 'GET',
  path: '/api/manage/users/{user}',
  area,
  summary: 'Get a user and their roles in projects.',
  access: { by: 'owner' },
  params: UserParams,
  answer: UserAnswer,
  errors: ['not_found'],
});

export const updateUser = defineRoute({
  id: 'updateUser',
  method: 'PATCH',
  path: '/api/manage/users/{user}',
  area,
  summary:
    'Change the name, email address, password or ownership of a user. A new password ends their sessions.',
  access: { by: 'owner' },
  params: UserParams,
  query: TokensQuery,
  body: Type.Object({
    email: Type.Optional(Email),
    emailVerified: Type.Optional(
      Type.Boolean({
        description:
          'Whether you confirm that the user owns the address. If so, a provider account with it can sign in.',
      }),
    ),
    name: Type.Optional(Name),
    password: Type.Optional(Password),
    isOwner: Type.Optional(Type.Boolean()),
  }),
  answer: UserAnswer,
  errors: ['not_found', 'name_taken', 'last_owner'],
});

export const deleteUser = defineRoute({
  id: 'deleteUser',
  method: 'DELETE',
  path: '/api/manage/users/{user}',
  area,
  summary:
    'Delete a user, end their sessions and revoke the tokens that they created, unless you ask to keep them.',
  access: { by: 'owner' },
  params: UserParams,
  query: TokensQuery,
  answer: Type.Object({ ...StatusOk.properties, ...OrphanedTokens }),
  errors: ['not_found', 'last_owner'],
});

export const listMembers = defineRoute({
  id: 'listMembers',
  method: 'GET',
  path: '/api/manage/projects/{project}/members',
  area,
  summary: 'List the members of the project and their roles.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: Type.Object({ members: Type.Array(Member) }),
  errors: [],
});

export const addMember = defineRoute({
  id: 'addMember',
  method: 'POST',
  path: '/api/manage/projects/{project}/members',
  area,
  summary: 'Add a user to the project by email address.',
  access: { by: 'manager', role: 'admin' },
  params: ProjectParams,
  body: Type.Object({ email: Email, role: RoleName }),
  answer: Type.Object({ member: Member }),
  errors: [],
});

export const setMemberRole = defineRoute({
  id: 'setMemberRole',
  method: 'PUT',
  path: '/api/manage/projects/{project}/members/{user}',
  area,
  summary: 'Change the role of a member.',
  access: { by: 'manager', role: 'admin' },
  params: MemberParams,
  body: Type.Object({ role: RoleName, ...TokensChoice }),
  answer: Type.Object({ member: Member, ...OrphanedTokens }),
  errors: [],
});

export const removeMember = defineRoute({
  id: 'removeMember',
  method: 'DELETE',
  path: '/api/manage/projects/{project}/members/{user}',
  area,
  summary:
    'Remove a member from the project and revoke the tokens that they created, unless you ask to keep them.',
  access: { by: 'manager', role: 'admin' },
  params: MemberParams,
  query: TokensQuery,
  answer: Type.Object({ ...StatusOk.properties, ...OrphanedTokens }),
  errors: [],
});
