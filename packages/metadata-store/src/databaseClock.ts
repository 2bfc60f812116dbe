/** The database's clock, shared by all nodes, in Unix milliseconds. */
import type { Dialect } from '@tapedeck/metadata-database';
import { type RawBuilder, sql } from 'kysely';

export const databaseClock: Readonly<Record<Dialect, RawBuilder<number>>> = {
  sqlite: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  // The time of the statement, not of the start of its transaction.
  postgres: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
};
