/** Makes management changes: each in one transaction with its audit log entry, then announced. */

import type { AuditEntry } from '@tapedeck/alerting';
import { newSortableId } from '@tapedeck/values/random-ids';
import type { AuditAction } from '../auditActions.ts';
import type { Passwords } from '../identity/passwords.ts';
import { type Actor, describeActor, type NamedActor } from '../identity/principals.ts';
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore, Records } from '../ports/metadata.ts';

export type ManagementDeps = {
  store: MetadataStore;
  clock: Clock;
  passwords: Passwords;
  /** Makes the change visible to the rest of this process before the caller gets an answer. */
  announceChange(): Promise<void>;
};

/** For changes that set no password. */
export type ChangeDeps = Omit<ManagementDeps, 'passwords'>;

type AuditLine = Pick<AuditEntry, 'project' | 'target'> & {
  action: AuditAction;
  details?: AuditEntry['details'];
};

/** A change in progress: its actor, time and records. */
export type Change = {
  actor: Actor;
  now: number;
  records: Records;
  /** Writes the change's audit log entry. */
  audit(line: AuditLine): Promise<void>;
};

export async function changeManaged<T>(
  deps: ChangeDeps,
  actor: Actor,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const now = deps.clock.now();
  const result = await deps.store.manage(records => {
    const audit = (line: AuditLine) => recordAudit(records, { actor, now }, line);
    return work({ actor, now, records, audit });
  });
  await deps.announceChange();
  return result;
}

export function recordAudit(
  records: Records,
  by: { actor: NamedActor; now: number },
  line: AuditLine,
): Promise<void> {
  return records.audit.append({
    ...line,
    id: newSortableId(by.now),
    at: by.now,
    actor: describeActor(by.actor),
    details: line.details ?? {},
  });
}

/** Writes the audit log entry of an action that needs no managed change, such as an upload. */
export async function recordAction(
  { store, clock }: { store: Pick<MetadataStore, 'writeFromReserve'>; clock: Clock },
  actor: NamedActor,
  line: AuditLine,
): Promise<void> {
  await store.writeFromReserve(records => recordAudit(records, { actor, now: clock.now() }, line));
}

/** Returns a page of the audit log, newest first, and where the next page begins. */
export async function listAudit(
  deps: Pick<ManagementDeps, 'store'>,
  query: { project: string | null; before: string | null; limit: number },
): Promise<{ entries: AuditEntry[]; nextBefore: string | null }> {
  const { project, before, limit } = query;
  const found = await deps.store.read.audit.list({ project, beforeId: before, limit: limit + 1 });
  const entries = found.slice(0, limit);
  return { entries, nextBefore: found.length > limit ? (entries.at(-1)?.id ?? null) : null };
}
