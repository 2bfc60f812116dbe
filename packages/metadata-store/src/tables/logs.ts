/** Tables about log entries: what users save about them, and entries in transit. */

import type { DecidedIssueState } from '@tapedeck/domain/vocabulary';
import {
  describeTable,
  flag,
  hex,
  integer,
  internal,
  key,
  named,
  optional,
  refersTo,
  text,
  word,
} from '@tapedeck/metadata-database';

/** Saved searches. */
export const logViews = describeTable(
  'log_views',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    name: text,
    query: text,
    created_at: integer,
    created_by: text,
  },
  { log_views_by_name: { columns: ['project', 'name'], isUnique: true } },
);

/** Decisions about patterns of errors. */
export const issueDecisions = describeTable('issue_decisions', {
  project: key(refersTo('projects.slug')),
  pattern: key(text),
  state: word<DecidedIssueState | 'open'>(),
  decided_at: integer,
  decided_by: text,
});

/** `subject` is an id. The author is a user, who may have been deleted. */
export const subjectNotes = describeTable(
  'subject_notes',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    kind: text,
    subject: text,
    text,
    created_at: integer,
    author_id: text,
    author_name: text,
    edited_at: optional(integer),
  },
  { subject_notes_by_subject: ['project', 'kind', 'subject'] },
);

/** Claims of nodes on the Idempotency-Keys of log requests. */
export const keyClaims = describeTable(
  'key_claims',
  {
    scope_hash: key(hex),
    body_hash: hex,
    node_id: text,
    attempt_id: text,
    trace_id: optional(text),
    expires_at: integer,
  },
  {
    key_claims_by_end: ['expires_at'],
    // Claims in progress: a handful.
    key_claims_unresolved: { columns: ['node_id', 'trace_id'], where: 'trace_id is null' },
  },
);

/** When datasets were last deleted. `dataset` is '' if the whole project was. */
export const logDeletions = describeTable(
  'log_deletions',
  { project: key(text), dataset: key(text), deleted_at: integer },
  { log_deletions_by_time: ['deleted_at'] },
);

/** Entries that are in the bucket but not yet where queries find them. */
export const logSegments = describeTable(
  'log_segments',
  {
    name: key(text),
    shard: text,
    entries: named('rows', integer),
    bytes: integer,
    is_spread: flag,
    is_wanted: flag,
    state: internal(word<'waiting' | 'importing' | 'done' | 'damaged'>()),
    import: optional(text),
    /** By the shard's clock. */
    import_until: optional(integer),
    registered_at: integer,
    ended_at: internal(optional(integer)),
  },
  {
    log_segments_by_state: ['state', 'name'],
    log_segments_by_import: ['import'],
    log_segments_by_end: ['ended_at'],
  },
);

/** Nodes that write entries to the bucket. Times are the database's. `notes` counts those of its notes that were taken over. */
export const journalWriters = describeTable('journal_writers', {
  id: key(text),
  leased_until: integer,
  notes: integer,
});
