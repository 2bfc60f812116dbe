/** Stores deletions of log entries as rows: the latest per place, by the database's clock. */

import type { LogDeletions } from '@tapedeck/domain/ports/logs';
import type { Dialect } from '@tapedeck/metadata-database';
import { databaseClock } from './databaseClock.ts';
import type { Queries } from './schema.ts';

const wholeProject = '';

export function buildLogDeletions(queries: Queries, dialect: Dialect): LogDeletions {
  const clock = databaseClock[dialect];
  return {
    record: async ({ project, dataset }) => {
      await queries
        .insertInto('log_deletions')
        .values({ project, dataset: dataset ?? wholeProject, deleted_at: clock })
        .onConflict(conflict => conflict.columns(['project', 'dataset']).doUpdateSet({ deleted_at: clock }))
        .execute();
    },
    listSince: async deletedAt => {
      const rows = await queries
        .selectFrom('log_deletions')
        .selectAll()
        .where('deleted_at', '>=', deletedAt)
        .execute();
      return rows.map(({ project, dataset, deleted_at }) => ({
        project,
        dataset: dataset === wholeProject ? null : dataset,
        deletedAt: deleted_at,
      }));
    },
    readClock: async () => (await queries.selectNoFrom(clock.as('now')).executeTakeFirstOrThrow()).now,
  };
}
