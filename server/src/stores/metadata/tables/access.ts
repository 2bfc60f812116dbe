/** Tables of what requests are admitted by: projects, tokens, reporting sessions, and the revision that counts changes. */
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
import type { LibrarySettings } from '../../../domain/files/librarySettings.ts';
import type { MediaRetention } from '../../../domain/files/retention.ts';
import type { SubjectSettings } from '../../../domain/subjects/kinds.ts';
import type { TokenKind } from '../../../vocabulary.ts';

/** One row: the number of the last change to projects and tokens. */
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
    /** null: none of its settings was ever set. */
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
    /** The token that minted it; null: a person did, or the command line. */
    maker_id: optional(text),
    maker_user_id: optional(text),
  },
  {
    tokens_by_revision: ['revision'],
    tokens_by_project: ['project', 'created_at'],
    // Most are made by people.
    tokens_by_maker: { columns: ['maker_id'], where: 'maker_id is not null' },
  },
);

/** `identity` is a JSON array: the type, then what the session is of; `token_id` is the token that opened it. */
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

/** The tokens that reported a session, in their order. */
export const sdkSessionTokens = describeTable(
  'sdk_session_tokens',
  {
    // An older version gives a session that has expired another id, where this one makes a new row.
    session_id: key(refersTo('sdk_sessions.id', { onDelete: 'cascade', onUpdate: 'cascade' })),
    token_id: key(text),
    position: integer,
  },
  { sdk_session_tokens_by_token: ['token_id'] },
);

/** How many requests a token has sent in its minute, at all nodes; `granted`: to the last claim. */
export const rateWindows = describeTable('rate_windows', {
  token_id: key(text),
  started_at: integer,
  requests: integer,
  granted: integer,
});
