/** The metadata store as one thing: the port's promises on whichever database was configured. */
import type { MetadataStore, Records } from '../../domain/ports/metadata.ts';
import { ServiceError } from '../../vocabulary.ts';
import { buildAuditRecords } from './audit.ts';
import { ConstraintViolation, type Database, type Queries } from './database.ts';
import { buildPresignedUses } from './files/presignedUses.ts';
import { buildFileRecords } from './files/records.ts';
import { buildInstallationFacts } from './installation.ts';
import { buildKeyClaims } from './keyClaims.ts';
import { buildLeaseRecords } from './leases.ts';
import { buildLogDeletions } from './logDeletions.ts';
import { buildLogViewRecords } from './logViews.ts';
import { buildMembershipRecords } from './memberships.ts';
import { type AppliedMigration, applyMigrations } from './migrations.ts';
import { buildProjectRecords } from './projects.ts';
import { buildRateWindows } from './rateWindows.ts';
import { buildRevision, type Revision, readAccessChanges } from './revision.ts';
import { buildSdkSessions } from './sdkSessions.ts';
import { buildSignInRecords } from './signIns.ts';
import { exportRows, importRows } from './snapshot.ts';
import { buildTokenRecords } from './tokens.ts';
import { buildUserRecords } from './users.ts';

export type MetadataConfig = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

/** Opens the configured database and brings it to this version's schema. */
export async function openMetadataStore(config: MetadataConfig): Promise<MetadataStore> {
  const database = await openDatabase(config);
  try {
    await applyMigrations(database);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  return buildMetadataStore(database);
}

/** Only brings the database to this version's schema; answers the steps that were missing. */
export async function migrateMetadata(config: MetadataConfig): Promise<AppliedMigration[]> {
  await using database = await openDatabase(config);
  return await applyMigrations(database);
}

/** The database as it is, for those who look beneath the store. */
export async function openDatabase(config: MetadataConfig): Promise<Database> {
  // Loaded when chosen: a start on one dialect does not wait for the other.
  if (config.kind === 'sqlite') {
    const { openSqliteDatabase } = await import('./sqlite/database.ts');
    return await openSqliteDatabase({ file: config.file });
  }
  const { openPostgresDatabase } = await import('./postgres/database.ts');
  return await openPostgresDatabase({ url: config.url });
}

export function buildMetadataStore(database: Database): MetadataStore {
  return {
    files: buildFileRecords(database),
    presignedUses: buildPresignedUses(database),
    sdkSessions: buildSdkSessions(database),
    keyClaims: buildKeyClaims(database),
    rateWindows: buildRateWindows(database),
    read: buildRecords(database, database.reading, refuseRevision),
    write: work =>
      transact(database, queries => work(buildRecords(database, queries, buildRevision(queries)))),
    manage: work =>
      transact(database, async queries => {
        const revision = buildRevision(queries);
        await revision.take();
        return await work(buildRecords(database, queries, revision));
      }),
    readAccessChanges: sinceRevision => readAccessChanges(database, sinceRevision),
    ping: async () => {
      await database.reading.selectFrom('access_revision').select('revision').executeTakeFirstOrThrow();
    },
    exportRows: () => exportRows(database),
    importRows: rows => importRows(database, rows),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** What a change refers to may go between the check and the change: that is the caller's news, not a bug. */
async function transact<T>(database: Database, work: (queries: Queries) => Promise<T>): Promise<T> {
  try {
    return await database.transact(work);
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'reference') {
      throw new ServiceError(
        'not_found',
        'The project or user that this belongs to does not exist any more.',
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}

const refuseRevision: Revision = {
  take: () => Promise.reject(new Error('Reading refuses to write: use a transaction.')),
};

function buildRecords({ dialect }: Database, queries: Queries, revision: Revision): Records {
  return {
    projects: buildProjectRecords(queries, revision),
    tokens: buildTokenRecords(queries, revision),
    users: buildUserRecords(queries),
    memberships: buildMembershipRecords(queries),
    signIns: buildSignInRecords(queries),
    audit: buildAuditRecords(queries),
    leases: buildLeaseRecords(queries),
    logViews: buildLogViewRecords(queries),
    installation: buildInstallationFacts(queries),
    logDeletions: buildLogDeletions(queries, dialect),
  };
}
