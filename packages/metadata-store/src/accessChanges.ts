/** Reads which projects and tokens changed since a revision, in one view. */

import type { AccessChanges } from '@tapedeck/domain/ports/metadata';
import type { RowOf } from '@tapedeck/metadata-database';
import { parseProject } from './projects.ts';
import type { MetadataDatabase } from './schema.ts';
import * as table from './tables/access.ts';

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
