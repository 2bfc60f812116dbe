/** Assembles the metadata store on the configured database. */

import { existsSync } from 'node:fs';
import { workFromReserve } from '@tapedeck/domain/operations/diskReserve';
import type { DiskReserve } from '@tapedeck/domain/ports/blobs';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import {
  type AppliedMigration,
  applyMigrations,
  ConstraintViolation,
  type DatabasePlace,
  exportRows,
  importRows,
  listMissing,
  listMissingMigrations,
  openDatabase,
  openDatabaseAsIs,
} from '@tapedeck/metadata-database';
import { readAccessChanges } from './accessChanges.ts';
import { buildFileMoves } from './files/moves.ts';
import { buildPresignedUses } from './files/presignedUses.ts';
import { buildFileRecords } from './files/records.ts';
import { buildResumableUploads } from './files/resumableUploads.ts';
import { parseFile } from './files/rows.ts';
import { parseTrashed } from './files/trash.ts';
import { buildKeyClaims } from './keyClaims.ts';
import { layout } from './layout.ts';
import { buildLogSegments } from './logSegments.ts';
import { buildRateWindows } from './rateWindows.ts';
import { buildRecords } from './records.ts';
import { buildRevision, type Revision } from './revision.ts';
import type { FileRow, MetadataDatabase, Queries, TrashedFileRow } from './schema.ts';
import { buildSdkSessions } from './sdkSessions.ts';

export type MetadataConfig =
  | { kind: 'sqlite'; file: string }
  | { kind: 'postgres'; url: string; connectionsMax?: number };

/** Frees the reserve so that users can manage a full disk. A database on another machine has no reserve here. */
type Reserve = Pick<DiskReserve, 'release'>;

const noReserve: Reserve = { release: async () => false };

type StoreOptions = {
  reserve?: Reserve | undefined;
  /** A directory for file indexes. They may be lost at any time. Without it, each start rebuilds them. */
  fileIndexes?: string;
};

/** Opens the configured database and migrates it to this version's schema. */
export async function openMetadataStore(
  config: MetadataConfig,
  options: StoreOptions = {},
): Promise<MetadataStore> {
  return buildMetadataStore(await openDatabase(describePlace(config), layout), options);
}

/** Doesn't migrate the database, for callers that look beneath the store. */
export function openMetadataDatabase(config: MetadataConfig): Promise<MetadataDatabase> {
  return openDatabaseAsIs(describePlace(config));
}

/** Migrates the database to this version's schema, and nothing else. Returns the applied steps. */
export async function migrateMetadata(config: MetadataConfig): Promise<AppliedMigration[]> {
  await using database = await openMetadataDatabase(config);
  return await applyMigrations(database, layout);
}

export async function listMissingSteps(config: MetadataConfig): Promise<string[]> {
  if (config.kind === 'sqlite' && !existsSync(config.file))
    return listMissing(0, layout).map(({ name }) => name);
  await using database = await openMetadataDatabase(config);
  return (await listMissingMigrations(database, layout)).map(({ name }) => name);
}

export function describePlace(config: MetadataConfig): DatabasePlace {
  if (config.kind === 'sqlite') return config;
  return { ...config, setting: 'DATABASE_URL', applicationName: 'tapedeck' };
}

export function buildMetadataStore(
  database: MetadataDatabase,
  { reserve = noReserve, fileIndexes }: StoreOptions = {},
): MetadataStore {
  return {
    files: buildFileRecords(database, fileIndexes ?? null),
    fileMoves: buildFileMoves(database),
    presignedUses: buildPresignedUses(database),
    resumableUploads: buildResumableUploads(database),
    sdkSessions: buildSdkSessions(database),
    keyClaims: buildKeyClaims(database),
    rateWindows: buildRateWindows(database),
    logSegments: buildLogSegments(database),
    read: buildRecords(database, database.reading, refuseRevision),
    write: work =>
      transact(database, queries => work(buildRecords(database, queries, buildRevision(queries)))),
    writeFromReserve: work =>
      workFromReserve(reserve, () =>
        transact(database, queries => work(buildRecords(database, queries, buildRevision(queries)))),
      ),
    manage: work =>
      workFromReserve(reserve, () =>
        transact(database, async queries => {
          const revision = buildRevision(queries);
          await revision.claim();
          return await work(buildRecords(database, queries, revision));
        }),
      ),
    readAccessChanges: sinceRevision => readAccessChanges(database, sinceRevision),
    ping: async () => {
      await database.reading.selectFrom('access_revision').select('revision').executeTakeFirstOrThrow();
      await database.requireChanges();
    },
    exportRows: () => exportRows(database, layout),
    readExportedFile: ({ table, row }) => {
      // An exported row has all columns of its table.
      if (table === 'files') return parseFile(row as FileRow);
      // The same holds for rows of the trash.
      return table === 'trashed_files' ? parseTrashed(row as TrashedFileRow).file : null;
    },
    importRows: rows => importRows(database, layout, rows),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** A row that a change refers to may be deleted between the check and the change. That is not a bug, so the caller gets an error. */
async function transact<T>(database: MetadataDatabase, work: (queries: Queries) => Promise<T>): Promise<T> {
  try {
    return await database.transact(work);
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'reference') {
      throw new ServiceError('not_found', 'The project or user that this belongs to no longer exists.', {
        cause: error,
      });
    }
    throw error;
  }
}

const refuseRevision: Revision = {
  claim: () => Promise.reject(new Error('A read cannot write: use a transaction.')),
};
