/** Explains why the sign-in page is shown: the session ended, or a sign-in with the provider failed. */

import { sessionEnded } from '../../queries/cache.ts';

const sentences: Readonly<Record<string, string>> = {
  [sessionEnded]: 'Your session has ended. Sign in again to continue.',
  provider_user_unknown: 'This provider account isn’t linked to any user here. Ask for an invitation.',
  provider_email_missing: 'The provider sent no verified email address, and an account needs one.',
  provider_email_unverified:
    'An account with your email address exists, but the address isn’t verified. Sign in with your password and link the provider under Account, or ask an owner of the installation.',
  provider_unavailable: 'The sign-in provider isn’t responding correctly. Try again, or sign in another way.',
  ticket_expired: 'This took too long or was started in another browser. Start again.',
  invitation_used: 'This invitation has already been used. Ask for another.',
  invitation_expired: 'This invitation has expired. Ask for another.',
  invitation_ended: 'This invitation was withdrawn. Ask for another.',
  invalid_field: 'This invitation is for another email address.',
  name_taken: 'This provider account is linked to another user.',
};

/** Anyone can write a code into the address, so the page shows only our own sentences. */
export function describeTrouble(code: string): string {
  return sentences[code] ?? 'The sign-in provider refused, or sent an invalid response. Try again.';
}
