/** Ways to sign in, and the states of invitations. */

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

/** The state of an invitation. `ended`: its creator may no longer grant the role. */
export const invitationStates = ['open', 'used', 'expired', 'ended'] as const;
export type InvitationState = (typeof invitationStates)[number];
