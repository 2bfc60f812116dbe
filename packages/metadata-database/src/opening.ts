/** Opens a database in either dialect. */
import type { Database } from './database.ts';
import type { DatabasePlace } from './databaseUrl.ts';
import type { Layout } from './layout.ts';
import type { ChosenLimits } from './limits.ts';
import { applyMigrations } from './migrations.ts';

/** Migrates the database to the layout's version. */
export async function openDatabase<Schema>(
  place: DatabasePlace,
  layout: Layout<Schema>,
): Promise<Database<Schema>> {
  const database = await openDatabaseAsIs<Schema>(place);
  try {
    await applyMigrations(database, layout);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  return database;
}

/** Takes any version, or an empty database, and doesn't migrate it. */
export async function openDatabaseAsIs<Schema>(
  place: DatabasePlace,
  limits: ChosenLimits = {},
): Promise<Database<Schema>> {
  // Imports only the chosen dialect, so that starts stay fast.
  if (place.kind === 'sqlite') {
    const { openSqliteDatabase } = await import('./sqlite/database.ts');
    return await openSqliteDatabase(place, limits);
  }
  const { openPostgresDatabase } = await import('./postgres/database.ts');
  return await openPostgresDatabase(place, limits);
}
