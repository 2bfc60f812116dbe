/** Ways to sign in, and what becomes of invitations. */

/** The ways in which sessions begin. */
export const signInMethods = [
  'set_up',
  'password',
  'code',
  'recovery_code',
  'passkey',
  'provider',
  'invitation',
] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** The state of an invitation. `ended`: its maker may no longer grant this. */
export const invitationStates = ['open', 'used', 'expired', 'ended'] as const;
export type InvitationState = (typeof invitationStates)[number];
