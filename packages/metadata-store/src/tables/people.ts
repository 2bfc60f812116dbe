/** Tables of people: users, their roles in projects, and their means of signing in. */

import type { Role, SignInMethod } from '@tapedeck/domain/vocabulary';
import {
  describeTable,
  flag,
  integer,
  json,
  key,
  optional,
  refersTo,
  text,
  unique,
  word,
} from '@tapedeck/metadata-database';

export const users = describeTable('users', {
  id: key(text),
  email: unique(text),
  name: text,
  password_hash: text,
  is_owner: flag,
  created_at: integer,
  verified_email: optional(text),
});

const ofUser = refersTo('users.id', { onDelete: 'cascade' });

export const memberships = describeTable(
  'memberships',
  { user_id: key(ofUser), project: key(refersTo('projects.slug')), role: word<Role>() },
  { memberships_by_project: ['project'] },
);

export const signInSessions = describeTable(
  'sign_in_sessions',
  {
    hash: key(text),
    user_id: ofUser,
    created_at: integer,
    expires_at: integer,
    address: text,
    user_agent: text,
    /** null for sessions of versions that did not record it. */
    way: optional(word<SignInMethod>()),
  },
  { sign_in_sessions_by_user: ['user_id'], sign_in_sessions_by_end: ['expires_at'] },
);

export const signInFailures = describeTable(
  'sign_in_failures',
  { key: key(text), failures: integer, last_failed_at: integer },
  { sign_in_failures_by_age: ['last_failed_at'] },
);

/** `maker_kind` is the kind of `maker_id`. The maker may have been deleted. */
export const invitations = describeTable(
  'invitations',
  {
    id: key(text),
    hash: unique(text),
    project: optional(refersTo('projects.slug')),
    role: optional(word<Role>()),
    email: optional(text),
    maker_kind: word<'user' | 'token'>(),
    maker_id: text,
    created_at: integer,
    created_by: text,
    expires_at: integer,
    used_at: optional(integer),
    used_by: optional(text),
    revoked_at: optional(integer),
  },
  { invitations_by_project: ['project', 'created_at'], invitations_by_end: ['expires_at'] },
);

/** `secret` is encrypted. `last_step` is the time step of the last accepted code. */
export const secondFactors = describeTable('second_factors', {
  user_id: key(ofUser),
  secret: text,
  created_at: integer,
  last_step: integer,
});

export const recoveryCodes = describeTable('recovery_codes', { user_id: key(ofUser), hash: key(text) });

/** `id` and `public_key` are in base64url. */
export const passkeys = describeTable(
  'passkeys',
  {
    id: key(text),
    user_id: ofUser,
    name: text,
    public_key: text,
    counter: integer,
    transports: json<readonly string[]>(),
    created_at: integer,
    last_used_at: optional(integer),
  },
  { passkeys_by_user: ['user_id'] },
);

/** A user's identity at an OpenID provider. */
export const identities = describeTable(
  'identities',
  {
    id: key(text),
    issuer: text,
    subject: text,
    user_id: ofUser,
    label: text,
    created_at: integer,
    last_used_at: optional(integer),
  },
  {
    identities_by_subject: { columns: ['issuer', 'subject'], isUnique: true },
    identities_by_user: ['user_id'],
  },
);

export const spentTickets = describeTable(
  'spent_tickets',
  { hash: key(text), expires_at: integer },
  { spent_tickets_by_end: ['expires_at'] },
);
