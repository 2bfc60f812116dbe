/** The revision of projects and tokens: raised once per transaction, stored on rows, read in one view. */
import type { RowOf } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { AccessChanges } from '../../domain/ports/metadata.ts';
import { parseProject } from './projects.ts';
import type { MetadataDatabase, Queries } from './schema.ts';
import * as table from './tables/access.ts';

/**
 * The number that this transaction gives to its changes. Taking it locks the single revision row until the transaction ends. So
 * revisions become visible in order, and a reader never sees a revision before its rows.
 */
export type Revision = { claim(): Promise<number> };

export function buildRevision(queries: Queries): Revision {
  let claimed: Promise<number> | null = null;
  return {
    claim: () => {
      claimed ??= raiseRevision(queries);
      return claimed;
    },
  };
}

async function raiseRevision(queries: Queries): Promise<number> {
  const row = await queries
    .updateTable('access_revision')
    .set({ revision: sql`revision + 1` })
    .where('id', '=', 1)
    .returning('revision')
    .executeTakeFirstOrThrow();
  return row.revision;
}

export async function readAccessChanges(
  database: MetadataDatabase,
  sinceRevision: number,
): Promise<AccessChanges> {
  // Each node asks several times a second, and there is seldom anything new.
  const known = database.reading.selectFrom('access_revision').select('revision').where('id', '=', 1);
  const { revision } = await known.executeTakeFirstOrThrow();
  if (revision === sinceRevision) return { revision, projects: [], tokens: [] };
  const [revisions, projects, tokens] = await database.readTogether(queries => [
    queries.selectFrom('access_revision').select('revision').where('id', '=', 1),
    queries.selectFrom('projects').selectAll().where('revision', '>', sinceRevision).orderBy('slug'),
    queries.selectFrom('tokens').selectAll().where('revision', '>', sinceRevision).orderBy('id'),
  ]);
  // `readTogether` returns rows in the order of its queries. The casts name the tables above.
  const [current] = revisions as { revision: number }[];
  if (current === undefined) throw new Error('The revision has its row since the first migration.');
  // Rows come in the order of the queries above.
  return {
    revision: current.revision,
    projects: (projects as RowOf<typeof table.projects>[]).map(parseProject),
    tokens: (tokens as RowOf<typeof table.tokens>[]).map(table.tokens.parse),
  };
}
