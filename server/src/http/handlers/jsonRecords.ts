/** Converts domain records to their JSON form. */

import type { AuditEntry } from '@tapedeck/alerting';
import type { Account, ProjectRole } from '@tapedeck/contract/accounts';
import type { AuditRecord } from '@tapedeck/contract/audit';
import type { ProjectRecord, Retention } from '@tapedeck/contract/projects';
import type { TokenRecord } from '@tapedeck/contract/tokens';
import type { MediaRetention } from '@tapedeck/domain/files/retention';
import { isEmailVerified } from '@tapedeck/domain/identity/emailAddresses';
import type { Project, Token, User } from '@tapedeck/domain/ports/metadata';
import type { Role } from '@tapedeck/domain/vocabulary';
import type { Static } from 'typebox';

export function writeInstant(at: number): string {
  return new Date(at).toISOString();
}

export function writeAccount(user: User): Static<typeof Account> {
  const { id, email, name, isOwner, createdAt } = user;
  return {
    id,
    email,
    emailVerified: isEmailVerified(user),
    name,
    isOwner,
    createdAt: writeInstant(createdAt),
  };
}

export function writeProjectRole(project: Project, role: Role): Static<typeof ProjectRole> {
  return { project: project.slug, name: project.name, role };
}

export function writeProject(project: Project, role: Role): Static<typeof ProjectRecord> {
  const { slug, name, cdnDomain, cdnEnabled, bytesMax, filesMax, createdAt } = project;
  const { trashDays, visibility, stripLocation, subjects } = project;
  const retention = writeRetention(project.retention);
  return {
    project: slug,
    name,
    role,
    cdnDomain,
    cdnEnabled,
    retention,
    bytesMax,
    filesMax,
    trashDays,
    stripLocation,
    visibility: { folders: [...visibility.folders] },
    subjects: subjects.map(({ kind, idPaths, namePaths }) => ({
      kind,
      idPaths: [...idPaths],
      namePaths: [...namePaths],
    })),
    createdAt: writeInstant(createdAt),
  };
}

function writeRetention({ days, folders }: MediaRetention): Static<typeof Retention> {
  return { ...days, folders: folders.map(({ prefix, days: kept }) => ({ path: prefix, days: kept })) };
}

export function writeToken(token: Token): Static<typeof TokenRecord> {
  const { id, prefix, kind, project, name, scopes, createdAt, createdBy, lastUsedAt, expiresAt } = token;
  return {
    id,
    prefix,
    kind,
    project,
    name,
    createdBy,
    createdByUser: token.makerUserId,
    scopes: [...scopes],
    createdAt: writeInstant(createdAt),
    lastUsedAt: lastUsedAt === null ? null : writeInstant(lastUsedAt),
    expiresAt: expiresAt === null ? null : writeInstant(expiresAt),
  };
}

export function writeAudit({
  id,
  at,
  actor,
  project,
  action,
  target,
  details,
}: AuditEntry): Static<typeof AuditRecord> {
  return { id, at: writeInstant(at), actor, project, action, target, details: { ...details } };
}

export function writeOptional(at: number | null): string | null {
  return at === null ? null : writeInstant(at);
}
