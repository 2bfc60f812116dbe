/** Deletions of log entries as rows: the last one of each place, at a time of the database's own clock. */
import type { Dialect } from '@tapedeck/metadata-database';
import { type RawBuilder, sql } from 'kysely';
import type { LogDeletions } from '../../domain/ports/logDeletions.ts';
import type { Queries } from './schema.ts';

const clocks: Readonly<Record<Dialect, RawBuilder<number>>> = {
  sqlite: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  // The time of the statement, and not of the beginning of its transaction.
  postgres: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
};

const wholeProject = '';

export function buildLogDeletions(queries: Queries, dialect: Dialect): LogDeletions {
  const clock = clocks[dialect];
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
