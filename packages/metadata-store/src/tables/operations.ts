/** Tables of the service itself: the audit log, leases, nodes, and facts about the installation. */

import type { AuditEntry } from '@tapedeck/alerting';
import { describeTable, integer, internal, json, key, optional, text } from '@tapedeck/metadata-database';

export const auditEntries = describeTable(
  'audit_entries',
  {
    id: key(text),
    at: integer,
    /** Orders entries of the same millisecond as they were appended. */
    position: internal(integer),
    actor: text,
    project: optional(text),
    action: text,
    target: text,
    details: json<AuditEntry['details']>(),
  },
  {
    audit_entries_by_age: ['at', 'position', 'id'],
    audit_entries_by_project: ['project', 'at', 'position', 'id'],
  },
);

export const leases = describeTable('leases', { name: key(text), holder: text, expires_at: integer });

/** Texts by name. `operations/installation.ts` of the domain lists them. */
export const installationFacts = describeTable('installation_facts', { name: key(text), value: text });

/** The nodes that share the database. `stopped_at` is null while a node runs, or if it was killed. */
export const nodes = describeTable('nodes', {
  name: key(text),
  version: text,
  run_id: text,
  journal_id: text,
  started_at: integer,
  seen_at: integer,
  stopped_at: optional(integer),
  waiting_entries: integer,
});
