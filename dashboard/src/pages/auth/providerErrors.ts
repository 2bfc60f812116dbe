/** What to say when somebody comes back from the sign-in provider and is not in. */

const sentences: Readonly<Record<string, string>> = {
  provider_user_unknown: 'Nobody here signs in with this account of the provider. Ask for an invitation.',
  provider_email_missing:
    'The provider does not vouch for an e-mail address of yours, which an account needs.',
  provider_email_unverified:
    'An account here has your e-mail address, but nobody has verified that it is yours. Sign in with its password and link the provider under Account, or ask an owner of the installation.',
  provider_unavailable: 'The sign-in provider does not answer as it should. Try again, or sign in otherwise.',
  ticket_expired: 'This took too long, or was begun in another browser. Begin again.',
  invitation_used: 'The invitation has been used, and is good once. Ask for another.',
  invitation_expired: 'The invitation has run out. Ask for another.',
  invitation_ended: 'The invitation has been withdrawn. Ask for another.',
  invalid_field: 'The invitation is for another e-mail address.',
  name_taken: 'This account of the provider is linked to another user.',
};

/** The code stands in an address, which anybody may have written: only our own sentences are shown. */
export function describeProviderError(code: string): string {
  return sentences[code] ?? 'The sign-in provider refused, or its answer is not to be trusted. Try again.';
}
