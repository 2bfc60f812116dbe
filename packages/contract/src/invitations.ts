/** Invitations: links that create a user, or give a user a role in a project, without sharing a password. */
import Type from 'typebox';
import { SignedIn } from './accounts.ts';
import { defineRoute, StatusOk } from './route.ts';
import { Email, Id, Instant, Name, nullable, Password, ProjectParams, RoleName, Slug } from './values.ts';
import { invitationStates, limits } from './vocabulary.ts';

const area = 'Invitations';
const path = '/api/manage/invitations';
const projectPath = '/api/manage/projects/{project}/invitations';

export const InvitedEmail = nullable(Type.String({ description: 'Only this address can use the link.' }));

export const InvitationRecord = Type.Object({
  id: Id,
  project: nullable(Slug),
  role: nullable(RoleName),
  email: InvitedEmail,
  state: Type.Enum(invitationStates, {
    description: 'ended: its creator is gone or can no longer give this access.',
  }),
  createdAt: Instant,
  createdBy: Type.String(),
  expiresAt: Instant,
  usedAt: nullable(Instant),
  usedBy: nullable(Type.String({ description: 'Email address of the user.' })),
});

const Secret = Type.String({
  maxLength: limits.invitationSecretCharactersMax,
  description: 'The part of the link after the #.',
});
const Made = Type.Object({
  invitation: InvitationRecord,
  secret: Type.String({ description: 'The part of url after the #. Shown once.' }),
  url: Type.String({ description: 'The invitation link, with the secret after the #.' }),
});
const Wishes = Type.Object({
  email: Type.Optional(Email),
  expiresIn: Type.Optional(
    Type.Integer({
      minimum: limits.invitationSecondsMin,
      maximum: limits.invitationSecondsMax,
      default: limits.invitationSecondsDefault,
      description: 'Lifetime in seconds, from an hour to 30 days. 7 days by default.',
    }),
  ),
});
const Listed = Type.Object({ invitations: Type.Array(InvitationRecord) });
const deadErrors = ['not_found', 'invitation_used', 'invitation_expired', 'invitation_ended'] as const;

export const listInvitations = defineRoute({
  id: 'listInvitations',
  method: 'GET',
  path: projectPath,
  area,
  summary: 'List the invitations to the project, newest first, including those that ended in the last month.',
  access: { by: 'manager', role: 'admin' },
  params: ProjectParams,
  answer: Listed,
  errors: [],
});

export const createInvitation = defineRoute({
  id: 'createInvitation',
  method: 'POST',
  path: projectPath,
  area,
  summary:
    'Create an invitation link that gives one person a role in the project. It stops working when you lose the right to give that role.',
  access: { by: 'manager', role: 'admin' },
  params: ProjectParams,
  body: Type.Object({ role: RoleName, ...Wishes.properties }),
  answer: Made,
  errors: [],
});

export const revokeInvitation = defineRoute({
  id: 'revokeInvitation',
  method: 'DELETE',
  path: `${projectPath}/{invitation}`,
  area,
  summary: 'Withdraw an invitation.',
  access: { by: 'manager', role: 'admin' },
  params: Type.Object({ ...ProjectParams.properties, invitation: Id }),
  answer: StatusOk,
  errors: ['not_found'],
});

export const listUserInvitations = defineRoute({
  id: 'listUserInvitations',
  method: 'GET',
  path,
  area,
  summary: 'List the invitations to the installation, newest first. They give no role in a project.',
  access: { by: 'owner' },
  answer: Listed,
  errors: [],
});

export const createUserInvitation = defineRoute({
  id: 'createUserInvitation',
  method: 'POST',
  path,
  area,
  summary: 'Create an invitation link. One person can use it to become a user.',
  access: { by: 'owner' },
  body: Wishes,
  answer: Made,
  errors: [],
});

export const revokeUserInvitation = defineRoute({
  id: 'revokeUserInvitation',
  method: 'DELETE',
  path: `${path}/{invitation}`,
  area,
  summary: 'Withdraw an invitation to the installation.',
  access: { by: 'owner' },
  params: Type.Object({ invitation: Id }),
  answer: StatusOk,
  errors: ['not_found'],
});

export const readInvitation = defineRoute({
  id: 'readInvitation',
  method: 'POST',
  path: `${path}/read`,
  area,
  summary: 'See what an invitation gives without using it.',
  access: { by: 'anyone' },
  body: Type.Object({ secret: Secret }),
  answer: Type.Object({
    project: nullable(Slug),
    projectName: nullable(Type.String()),
    role: nullable(RoleName),
    email: InvitedEmail,
    createdBy: Type.String(),
    expiresAt: Instant,
  }),
  errors: [...deadErrors, 'sign_in_slowed'],
});

export const joinByInvitation = defineRoute({
  id: 'joinByInvitation',
  method: 'POST',
  path: `${path}/join`,
  area,
  summary: 'Accept an invitation as a new user and sign in. The response sets the session cookie.',
  access: { by: 'anyone' },
  body: Type.Object({ secret: Secret, email: Email, name: Type.Optional(Name), password: Password }),
  answer: SignedIn,
  errors: [...deadErrors, 'name_taken', 'sign_in_slowed'],
});

export const acceptInvitation = defineRoute({
  id: 'acceptInvitation',
  method: 'POST',
  path: `${path}/accept`,
  area,
  summary: 'Accept an invitation as the signed-in user.',
  access: { by: 'user' },
  body: Type.Object({ secret: Secret }),
  answer: Type.Object({ project: nullable(Slug) }),
  errors: [...deadErrors, 'already_member', 'sign_in_slowed'],
});
