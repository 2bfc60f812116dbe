/** The revision of projects and tokens: raised once per transaction, and stored on rows. */
import { sql } from 'kysely';
import type { Queries } from './schema.ts';

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
