/** First set-up, signing in and out, and the user's own account. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { Email, Id, Instant, Name, nullable, Password, RoleName, Slug } from './values.ts';
import { limits, signInMethods } from './vocabulary.ts';

const area = 'Accounts';

export const Account = Type.Object({
  id: Id,
  email: Type.String(),
  emailVerified: Type.Boolean({
    description: 'Whether an owner or a sign-in provider has vouched that the address belongs to the user.',
  }),
  name: Type.String(),
  isOwner: Type.Boolean({
    description: 'Whether the user is owner in every project and manages the users of the installation.',
  }),
  createdAt: Instant,
});

export const ProjectRole = Type.Object({ project: Slug, name: Type.String(), role: RoleName });

/** A password to compare. Its minimum length does not matter here. */
export const GivenPassword = Type.String({ maxLength: limits.passwordCharactersMax });

export const SignedIn = Type.Object({ user: Account, expiresAt: Instant });

export const TicketText = Type.String({
  maxLength: limits.ticketCharactersMax,
  description: 'The ticket from the previous response.',
});
export const CodeText = Type.String({
  maxLength: limits.codeCharactersMax,
  description: 'Six-digit code from the authenticator app, or a recovery code.',
});

const SecondFactorNeeded = Type.Object({
  status: Type.Literal('second_factor_required'),
  ticket: Type.String({ description: 'Ticket to send with the code. Valid for five minutes.' }),
  expiresAt: Instant,
});

export const getState = defineRoute({
  id: 'getState',
  method: 'GET',
  path: '/api/manage/state',
  area,
  summary:
    'Check whether the installation is set up and whether you are signed in, and get the limits for uploads.',
  access: { by: 'anyone' },
  answer: Type.Object({
    isSetUp: Type.Boolean(),
    isSignedIn: Type.Boolean(),
    version: Type.String(),
    passkeys: Type.Boolean({ description: 'Whether passkeys can be used: over HTTPS or at localhost.' }),
    provider: nullable(Type.Object({ name: Type.String({ description: 'Label of the sign-in button.' }) })),
    fileSizeBytesMax: Type.Integer({ description: 'Maximum size of an uploaded file in bytes.' }),
  }),
  errors: [],
});

export const setUp = defineRoute({
  id: 'setUp',
  method: 'POST',
  path: '/api/manage/set-up',
  area,
  summary:
    'Create the owner account with the setup code that the service printed when it started, and sign in.',
  access: { by: 'anyone' },
  body: Type.Object({
    code: Type.String({ maxLength: limits.setUpCodeCharactersMax, description: 'The setup code.' }),
    email: Email,
    password: Password,
    name: Type.Optional(Name),
  }),
  answer: SignedIn,
  errors: ['setup_code_wrong', 'already_set_up', 'sign_in_slowed'],
});

export const signIn = defineRoute({
  id: 'signIn',
  method: 'POST',
  path: '/api/manage/sign-in',
  area,
  summary: 'Sign in. The response sets the session cookie or asks for the code of the second factor.',
  access: { by: 'anyone' },
  body: Type.Object({
    email: Type.String({ maxLength: limits.emailCharactersMax }),
    password: GivenPassword,
  }),
  answer: Type.Union([SignedIn, SecondFactorNeeded]),
  errors: ['sign_in_failed', 'sign_in_slowed'],
});

export const finishSignIn = defineRoute({
  id: 'finishSignIn',
  method: 'POST',
  path: '/api/manage/sign-in/code',
  area,
  summary: 'Finish signing in with the code of the second factor. The response sets the session cookie.',
  access: { by: 'anyone' },
  body: Type.Object({ ticket: TicketText, code: CodeText }),
  answer: SignedIn,
  errors: ['sign_in_failed', 'sign_in_slowed', 'ticket_expired'],
});

export const signOut = defineRoute({
  id: 'signOut',
  method: 'POST',
  path: '/api/manage/sign-out',
  area,
  summary: 'Sign out. Without a session, nothing happens.',
  access: { by: 'anyone' },
  answer: StatusOk,
  errors: [],
});

export const getMe = defineRoute({
  id: 'getMe',
  method: 'GET',
  path: '/api/manage/me',
  area,
  summary: 'Get the signed-in user and their roles in projects.',
  access: { by: 'anyManager' },
  answer: Type.Object({ user: nullable(Account), projects: Type.Array(ProjectRole) }),
  errors: [],
});

export const changePassword = defineRoute({
  id: 'changePassword',
  method: 'PUT',
  path: '/api/manage/me/password',
  area,
  summary: 'Change your password and end all your other sessions.',
  access: { by: 'user' },
  body: Type.Object({ currentPassword: GivenPassword, newPassword: Password }),
  answer: StatusOk,
  errors: ['sign_in_failed', 'sign_in_slowed'],
});

export const listMySessions = defineRoute({
  id: 'listMySessions',
  method: 'GET',
  path: '/api/manage/me/sessions',
  area,
  summary: 'List the sessions of the signed-in user.',
  access: { by: 'user' },
  answer: Type.Object({
    sessions: Type.Array(
      Type.Object({
        id: Type.String(),
        createdAt: Instant,
        expiresAt: Instant,
        address: Type.String(),
        userAgent: Type.String(),
        way: nullable(Type.Enum(signInMethods, { description: 'How the user signed in.' })),
        current: Type.Boolean(),
      }),
    ),
  }),
  errors: [],
});

export const endMySession = defineRoute({
  id: 'endMySession',
  method: 'DELETE',
  path: '/api/manage/me/sessions/{session}',
  area,
  summary: 'End one session of the user.',
  access: { by: 'user' },
  params: Type.Object({ session: Type.String({ maxLength: limits.idParameterCharactersMax }) }),
  answer: StatusOk,
  errors: ['not_found'],
});
