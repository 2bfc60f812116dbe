/** Passkeys: sign-in without a password, by WebAuthn. */
import Type from 'typebox';
import { GivenPassword, SignedIn, TicketText } from './accounts.ts';
import { defineRoute, StatusOk } from './route.ts';
import { Instant, Name, nullable } from './values.ts';
import { limits } from './vocabulary.ts';

const area = 'Passkeys';
const path = '/api/manage/me/passkeys';
const Bytes = Type.String({ maxLength: limits.passkeyPartCharactersMax, description: 'Base64url.' });
const PasskeyId = Type.String({ minLength: 1, maxLength: limits.passkeyIdCharactersMax });
const PublicKey = Type.Literal('public-key');

export const PasskeyRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Instant,
  lastUsedAt: nullable(Instant),
});
const Ticket = Type.String({ description: 'Ticket to send with the credential. Valid for five minutes.' });
const Known = Type.Object({ type: PublicKey, id: Type.String() });

export const beginPasskey = defineRoute({
  id: 'beginPasskey',
  method: 'POST',
  path,
  area,
  summary: 'Start to register a passkey. The response has the options for the browser.',
  access: { by: 'user' },
  body: Type.Object({ password: GivenPassword }),
  answer: Type.Object({
    ticket: Ticket,
    options: Type.Object(
      {
        rp: Type.Object({ id: Type.String(), name: Type.String() }),
        user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
        challenge: Type.String(),
        pubKeyCredParams: Type.Array(Type.Object({ type: PublicKey, alg: Type.Integer() })),
        timeout: Type.Integer(),
        excludeCredentials: Type.Array(Known),
        authenticatorSelection: Type.Object({
          residentKey: Type.Literal('required'),
          userVerification: Type.Literal('required'),
        }),
        attestation: Type.Literal('none'),
      },
      { description: 'PublicKeyCredentialCreationOptionsJSON.' },
    ),
  }),
  errors: ['sign_in_failed', 'sign_in_slowed'],
});

export const addPasskey = defineRoute({
  id: 'addPasskey',
  method: 'POST',
  path: `${path}/confirm`,
  area,
  summary: 'Register the passkey that the browser created.',
  access: { by: 'user' },
  body: Type.Object({
    ticket: TicketText,
    name: Name,
    credential: Type.Object(
      {
        id: PasskeyId,
        rawId: PasskeyId,
        type: PublicKey,
        response: Type.Object({
          clientDataJSON: Bytes,
          attestationObject: Bytes,
          transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 })),
        }),
      },
      { description: 'RegistrationResponseJSON.' },
    ),
  }),
  bodyBytesMax: limits.passkeyBodyBytesMax,
  answer: Type.Object({ passkey: PasskeyRecord }),
  errors: ['passkey_refused', 'ticket_expired'],
});

export const removePasskey = defineRoute({
  id: 'removePasskey',
  method: 'DELETE',
  path: `${path}/{passkey}`,
  area,
  summary: 'Remove a passkey.',
  access: { by: 'user' },
  params: Type.Object({ passkey: PasskeyId }),
  answer: StatusOk,
  errors: ['not_found', 'last_way_in'],
});

export const beginPasskeySignIn = defineRoute({
  id: 'beginPasskeySignIn',
  method: 'POST',
  path: '/api/manage/sign-in/passkey/begin',
  area,
  summary: 'Start to sign in with a passkey. The response has the options for the browser.',
  access: { by: 'anyone' },
  answer: Type.Object({
    ticket: Ticket,
    options: Type.Object(
      {
        challenge: Type.String(),
        rpId: Type.String(),
        timeout: Type.Integer(),
        userVerification: Type.Literal('required'),
      },
      { description: 'PublicKeyCredentialRequestOptionsJSON.' },
    ),
  }),
  errors: [],
});

export const signInByPasskey = defineRoute({
  id: 'signInByPasskey',
  method: 'POST',
  path: '/api/manage/sign-in/passkey',
  area,
  summary: 'Finish signing in with a passkey. The response sets the session cookie.',
  access: { by: 'anyone' },
  body: Type.Object({
    ticket: TicketText,
    credential: Type.Object(
      {
        id: PasskeyId,
        rawId: PasskeyId,
        type: PublicKey,
        response: Type.Object({
          clientDataJSON: Bytes,
          authenticatorData: Bytes,
          signature: Bytes,
          userHandle: Type.Optional(Bytes),
        }),
      },
      { description: 'AuthenticationResponseJSON.' },
    ),
  }),
  bodyBytesMax: limits.passkeyBodyBytesMax,
  answer: SignedIn,
  errors: ['sign_in_failed', 'sign_in_slowed', 'ticket_expired'],
});
