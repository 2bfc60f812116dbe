/** Sign-in with the configured OpenID provider, and the identities linked to an account. */
import Type from 'typebox';
import { GivenPassword } from './accounts.ts';
import { defineRoute, StatusOk } from './route.ts';
import { Id } from './values.ts';
import { limits } from './vocabulary.ts';

const area = 'Sign-in provider';

const Back = Type.Optional(
  Type.String({
    maxLength: limits.backCharactersMax,
    description: 'Where to go on within the dashboard, from /.',
  }),
);
const Departure = Type.Object({
  url: Type.String({
    description: 'Where to send the browser. The answer sets a cookie that it comes back with.',
  }),
});

export const beginProviderSignIn = defineRoute({
  id: 'beginProviderSignIn',
  method: 'POST',
  path: '/api/manage/sign-in/provider',
  area,
  summary: 'Start to sign in through the provider. New users need the secret of an invitation.',
  access: { by: 'anyone' },
  body: Type.Object({
    back: Back,
    invitation: Type.Optional(Type.String({ maxLength: limits.invitationSecretCharactersMax })),
  }),
  answer: Departure,
  errors: ['not_found', 'provider_unavailable'],
});

export const finishProviderSignIn = defineRoute({
  id: 'finishProviderSignIn',
  method: 'GET',
  path: '/api/manage/sign-in/provider/callback',
  area,
  summary:
    "Finish signing in through the provider, which redirects here. Enter this address in the provider's settings.",
  access: { by: 'anyone' },
  answer: StatusOk,
  otherAnswers: {
    302: 'To the dashboard: signed in, asked for a code, or with the code of what went wrong in `trouble`.',
  },
  errors: [],
});

export const beginLinking = defineRoute({
  id: 'beginLinking',
  method: 'POST',
  path: '/api/manage/me/identities',
  area,
  summary: 'Start to link an account of the provider to the signed-in user.',
  access: { by: 'user' },
  body: Type.Object({ password: GivenPassword }),
  answer: Departure,
  errors: ['not_found', 'provider_unavailable', 'sign_in_failed', 'sign_in_slowed'],
});

export const unlinkIdentity = defineRoute({
  id: 'unlinkIdentity',
  method: 'DELETE',
  path: '/api/manage/me/identities/{identity}',
  area,
  summary: 'Unlink an account of the provider.',
  access: { by: 'user' },
  params: Type.Object({ identity: Id }),
  answer: StatusOk,
  errors: ['not_found', 'last_way_in'],
});
