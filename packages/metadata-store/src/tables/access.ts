/** Tables that decide which requests are admitted: projects, tokens, reporting sessions, and the revision that counts changes. */

import type { LibrarySettings } from '@tapedeck/domain/files/librarySettings';
import type { MediaRetention } from '@tapedeck/domain/files/retention';
import type { SubjectSettings } from '@tapedeck/domain/subjects/kinds';
import type { TokenKind } from '@tapedeck/domain/vocabulary';
import {
  describeTable,
  flag,
  initially,
  integer,
  internal,
  json,
  key,
  optional,
  refersTo,
  text,
  unique,
  word,
} from '@tapedeck/metadata-database';

/** Holds one row: the number of the last change to projects and tokens. */
export const accessRevision = {
  ...describeTable('access_revision', { id: key(integer), revision: integer }),
  seed: { id: 1, revision: 0 },
};

export const projects = describeTable(
  'projects',
  {
    slug: key(text),
    name: text,
    cdn_domain: optional(text),
    cdn_enabled: flag,
    retention: json<MediaRetention>(),
    bytes_max: optional(integer),
    files_max: optional(integer),
    created_at: integer,
    deleted_at: optional(integer),
    revision: internal(integer),
    log_retention: initially('{}', json<Readonly<Record<string, number>>>()),
    /** null: no setting was ever changed. */
    library: optional(json<Partial<LibrarySettings & SubjectSettings>>()),
  },
  { projects_by_revision: ['revision'] },
);

export const tokens = describeTable(
  'tokens',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    kind: word<TokenKind>(),
    name: text,
    prefix: text,
    hash: unique(text),
    scopes: json<readonly string[]>(),
    created_at: integer,
    created_by: text,
    expires_at: optional(integer),
    last_used_at: optional(integer),
    revoked_at: optional(integer),
    revision: internal(integer),
    /** The token that minted this one; null if a user or the command line did. */
    maker_id: optional(text),
    maker_user_id: optional(text),
  },
  {
    tokens_by_revision: ['revision'],
    tokens_by_project: ['project', 'created_at'],
    // Users create most tokens.
    tokens_by_maker: { columns: ['maker_id'], where: 'maker_id is not null' },
  },
);

/** `identity` is a JSON array: the type, then the values that identify the session. `token_id` is the token that opened it. */
export const sdkSessions = describeTable(
  'sdk_sessions',
  {
    id: unique(text),
    project: key(refersTo('projects.slug')),
    identity: key(internal(text)),
    token_id: internal(text),
    created_at: integer,
    refreshed_at: integer,
    expires_at: integer,
  },
  { sdk_sessions_by_end: ['expires_at'] },
);

/** The tokens that reported a session, in order. */
export const sdkSessionTokens = describeTable(
  'sdk_session_tokens',
  {
    // Older programs change the id of an expired session; this version makes a new row.
    session_id: key(refersTo('sdk_sessions.id', { onDelete: 'cascade', onUpdate: 'cascade' })),
    token_id: key(text),
    position: integer,
  },
  { sdk_session_tokens_by_token: ['token_id'] },
);

/** The number of a token's requests in its current minute, over all nodes. `granted` is what the last claim got. */
export const rateWindows = describeTable('rate_windows', {
  token_id: key(text),
  started_at: integer,
  requests: integer,
  granted: integer,
});
