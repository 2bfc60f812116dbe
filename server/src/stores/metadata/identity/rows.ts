/** Row types of the sign-in tables. */
import type { Role } from '../../../vocabulary.ts';

/** `maker_kind` says whose id `maker_id` is; either may be gone. */
export type InvitationRow = {
  id: string;
  hash: string;
  project: string | null;
  role: Role | null;
  email: string | null;
  maker_kind: 'user' | 'token';
  maker_id: string;
  created_at: number;
  created_by: string;
  expires_at: number;
  used_at: number | null;
  used_by: string | null;
  revoked_at: number | null;
};

/** `secret` is sealed; `last_step` is the time step of the last code that was taken. */
export type SecondFactorRow = { user_id: string; secret: string; created_at: number; last_step: number };

export type RecoveryCodeRow = { user_id: string; hash: string };

/** `id` and `public_key` in base64url, `transports` as a JSON array. */
export type PasskeyRow = {
  id: string;
  user_id: string;
  name: string;
  public_key: string;
  counter: number;
  transports: string;
  created_at: number;
  last_used_at: number | null;
};

/** Who somebody is to an OpenID provider. */
export type IdentityRow = {
  id: string;
  issuer: string;
  subject: string;
  user_id: string;
  label: string;
  created_at: number;
  last_used_at: number | null;
};

/** What was good once, and has been used. */
export type SpentTicketRow = { hash: string; expires_at: number };
