/** Stores the audit log as rows: appended, read newest first, never changed. */

import type { AuditRecords } from '@tapedeck/domain/ports/metadata';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { RowOf } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { Queries } from './schema.ts';
import { auditEntries } from './tables/operations.ts';

export function buildAuditRecords(queries: Queries): AuditRecords {
  return {
    append: async entry => {
      await queries
        .insertInto('audit_entries')
        .values({
          ...auditEntries.compose(entry),
          position: sql<number>`(select count(*) from audit_entries where at = ${entry.at})`,
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
      return (await newestFirst.limit(limit).execute()).map(auditEntries.parse);
    },
  };
}

async function findEntry(
  queries: Queries,
  id: string,
  project: string | null,
): Promise<RowOf<typeof auditEntries>> {
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
