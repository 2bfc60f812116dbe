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
    description: 'Dashboard page to open after sign-in, as a path that starts with /.',
  }),
);
const ProviderRedirect = Type.Object({
  url: Type.String({
    description: 'URL to send the browser to. The answer sets a cookie that the callback needs.',
  }),
});

export const beginProviderSignIn = defineRoute({
  id: 'beginProviderSignIn',
  method: 'POST',
  path: '/api/manage/sign-in/provider',
  area,
  summary: 'Start signing in through the provider. New users may need the secret of an invitation.',
  access: { by: 'anyone' },
  body: Type.Object({
    back: Back,
    invitation: Type.Optional(Type.String({ maxLength: limits.invitationSecretCharactersMax })),
  }),
  answer: ProviderRedirect,
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
    302: 'Redirect to the dashboard: signed in, at the second factor, or with an error code in `trouble`.',
  },
  errors: [],
});

export const beginLinking = defineRoute({
  id: 'beginLinking',
  method: 'POST',
  path: '/api/manage/me/identities',
  area,
  summary: 'Start linking a provider account to the signed-in user.',
  access: { by: 'user' },
  body: Type.Object({ password: GivenPassword }),
  answer: ProviderRedirect,
  errors: ['not_found', 'provider_unavailable', 'sign_in_failed', 'sign_in_slowed'],
});

export const unlinkIdentity = defineRoute({
  id: 'unlinkIdentity',
  method: 'DELETE',
  path: '/api/manage/me/identities/{identity}',
  area,
  summary: 'Unlink a provider account.',
  access: { by: 'user' },
  params: Type.Object({ identity: Id }),
  answer: StatusOk,
  errors: ['not_found', 'last_way_in'],
});
