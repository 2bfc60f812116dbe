/** The second factor of an account: authenticator codes and recovery codes. */
import Type from 'typebox';
import { CodeText, GivenPassword, TicketText } from './accounts.ts';
import { PasskeyRecord } from './passkeys.ts';
import { defineRoute, StatusOk } from './route.ts';
import { Id, Instant, nullable } from './values.ts';

const area = 'Second factor';
const path = '/api/manage/me/second-factor';
const passwordErrors = ['sign_in_failed', 'sign_in_slowed'] as const;

const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), { description: 'Recovery codes. Each works once. Shown once.' }),
});
/** An empty password is for users without one: they must have signed in within the last ten minutes. */
const Both = Type.Object({ password: GivenPassword, code: CodeText });

export const getWaysIn = defineRoute({
  id: 'getWaysIn',
  method: 'GET',
  path: '/api/manage/me/ways-in',
  area,
  summary: 'List the ways in which the signed-in user can sign in.',
  access: { by: 'user' },
  answer: Type.Object({
    hasPassword: Type.Boolean(),
    secondFactor: nullable(
      Type.Object({
        since: Instant,
        recoveryCodes: Type.Integer({ description: 'Number of unused recovery codes.' }),
      }),
    ),
    passkeys: Type.Array(PasskeyRecord),
    identities: Type.Array(
      Type.Object({
        id: Id,
        issuer: Type.String(),
        label: Type.String({ description: 'Email address or name of the account at the provider.' }),
        createdAt: Instant,
        lastUsedAt: nullable(Instant),
      }),
      { description: 'Linked accounts of sign-in providers.' },
    ),
  }),
  errors: [],
});

export const beginSecondFactor = defineRoute({
  id: 'beginSecondFactor',
  method: 'POST',
  path,
  area,
  summary: 'Start setting up an authenticator app. Nothing changes until you confirm it with a code.',
  access: { by: 'user' },
  body: Type.Object({ password: GivenPassword }),
  answer: Type.Object({
    secret: Type.String({ description: 'Secret for the authenticator app, in Base32.' }),
    uri: Type.String({ description: 'The same secret as an otpauth:// URI, for a QR code.' }),
    ticket: Type.String({ description: 'Ticket for the call that confirms; valid for fifteen minutes.' }),
    expiresAt: Instant,
  }),
  errors: [...passwordErrors, 'second_factor_on'],
});

export const confirmSecondFactor = defineRoute({
  id: 'confirmSecondFactor',
  method: 'POST',
  path: `${path}/confirm`,
  area,
  summary: 'Turn on the second factor with a code from the app.',
  access: { by: 'user' },
  body: Type.Object({ ticket: TicketText, code: CodeText }),
  answer: RecoveryCodes,
  errors: [...passwordErrors, 'second_factor_on', 'ticket_expired'],
});

export const renewRecoveryCodes = defineRoute({
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: `${path}/recovery-codes`,
  area,
  summary: 'Create new recovery codes. The old ones stop working.',
  access: { by: 'user' },
  body: Both,
  answer: RecoveryCodes,
  errors: [...passwordErrors, 'not_found'],
});

export const disableSecondFactor = defineRoute({
  id: 'disableSecondFactor',
  method: 'POST',
  path: `${path}/off`,
  area,
  summary: 'Turn off the second factor with the password and a code.',
  access: { by: 'user' },
  body: Both,
  answer: StatusOk,
  errors: [...passwordErrors, 'not_found'],
});

export const resetSecondFactor = defineRoute({
  id: 'resetSecondFactor',
  method: 'DELETE',
  path: '/api/manage/users/{user}/second-factor',
  area,
  summary: 'Turn off the second factor of a user who has lost it.',
  access: { by: 'owner' },
  params: Type.Object({ user: Id }),
  answer: StatusOk,
  errors: ['not_found'],
});
