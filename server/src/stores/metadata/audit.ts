/** The audit log as rows: appended, read newest first, never changed. */
import { sql } from 'kysely';
import type { AuditEntry, AuditRecords } from '../../domain/ports/metadata.ts';
import { ServiceError } from '../../vocabulary.ts';
import type { AuditRow, Queries } from './schema.ts';

export function buildAuditRecords(queries: Queries): AuditRecords {
  return {
    append: async entry => {
      await queries
        .insertInto('audit_entries')
        .values({
          id: entry.id,
          at: entry.at,
          position: sql<number>`(select count(*) from audit_entries where at = ${entry.at})`,
          actor: entry.actor,
          project: entry.project,
          action: entry.action,
          target: entry.target,
          details: JSON.stringify(entry.details),
        })
        .execute();
    },
    list: async ({ project, beforeId, limit }) => {
      let query = queries.selectFrom('audit_entries').selectAll();
      if (project !== null) query = query.where('project', '=', project);
      if (beforeId !== null) {
        const { at, position, id } = await findEntry(queries, beforeId, project);
        query = query.where(sql<boolean>`(at, position, id) < (${at}, ${position}, ${id})`);
      }
      const newestFirst = query.orderBy('at', 'desc').orderBy('position', 'desc').orderBy('id', 'desc');
      return (await newestFirst.limit(limit).execute()).map(parseEntry);
    },
  };
}

async function findEntry(queries: Queries, id: string, project: string | null): Promise<AuditRow> {
  let query = queries.selectFrom('audit_entries').selectAll().where('id', '=', id);
  if (project !== null) query = query.where('project', '=', project);
  const row = await query.executeTakeFirst();
  if (row !== undefined) return row;
  throw new ServiceError(
    'invalid_field',
    'The page continues after an entry that is not in this audit log.',
    { field: 'before' },
  );
}

function parseEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    actor: row.actor,
    project: row.project,
    action: row.action,
    target: row.target,
    // Written by `append` from the same type and by nothing else.
    details: JSON.parse(row.details) as Record<string, unknown>,
  };
}
