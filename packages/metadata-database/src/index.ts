/** Small transactions on SQLite or PostgreSQL, with Kysely as the query language. */

export { gatherCalls, gatherCallsByKey } from './batcher.ts';
export {
  flag,
  hex,
  initially,
  integer,
  internal,
  json,
  key,
  named,
  optional,
  refersTo,
  seconds,
  text,
  unique,
  word,
} from './columns.ts';
export type { BatchQuery, Database, Dialect } from './database.ts';
export type { DatabasePlace } from './databaseUrl.ts';
export { BatchRefused, ConstraintViolation, DatabaseFailure, databaseCodes } from './failures.ts';
export type { Layout, Migration } from './layout.ts';
export {
  type AppliedMigration,
  applyMigrations,
  listMissing,
  listMissingMigrations,
  type MigrationPoint,
} from './migrations.ts';
export { compareRows, type MirroredRows, mirrorRows } from './mirror.ts';
export { openDatabase, openDatabaseAsIs } from './opening.ts';
export { type BatchTemplate, type Bind, bindRow, makeBatchTemplate } from './queries.ts';
export { type ExportedRow, exportRows, importRows } from './rowTransfer.ts';
export { describeTable, type RowOf, type SchemaOf, type TableWords } from './tables.ts';
