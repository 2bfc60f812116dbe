/** `tapedeck backup` and `tapedeck restore`: everything that is stored, into a folder and back. */
import path from 'node:path';
import { openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';
import { Failure } from '@tapedeck/failures';
import { type AttachedLogStore, logsPart, logsPartName, markUnmarked } from '@tapedeck/log-store';
import type { Config } from '../config.ts';
import { noteBackup } from '../domain/backups.ts';
import { keepInstallationId, openLogServers } from '../domain/installation.ts';
import type { BackupPart } from '../domain/ports/backup.ts';
import type { BlobStore } from '../domain/ports/blobs.ts';
import type { MetadataStore } from '../domain/ports/metadata.ts';
import { metadataPart } from '../stores/backup/metadataPart.ts';
import { type Backup, type Manifest, openBackup, restoreBackup, saveBackup } from '../stores/backupFolder.ts';
import { blobsPart } from '../stores/blobs/blobsPart.ts';
import { fillDataDirectory } from '../stores/dataDirectory/dataDraft.ts';
import { secretPart } from '../stores/dataDirectory/secretPart.ts';
import { openMetadataStore } from '../stores/metadata/store.ts';
import { version } from '../version.ts';
import { ServiceError } from '../vocabulary.ts';
import type { Command } from './command.ts';
import { withLogStore, withNewLogStore } from './logStore.ts';

export const backup: Command = {
  name: 'backup',
  usage: 'DIR',
  about: 'Write everything into an absent or empty folder, also while the service runs.',
  options: {},
  positionals: { min: 1, max: 1 },
  run: async (config, { positionals: [folder = ''] }) => {
    await using store = await openMetadataStore(config.database);
    const beganAt = Date.now();
    const made = { version, createdAt: new Date(beganAt).toISOString() };
    const isSecretOurs = config.secret === null;
    const parts = [...(isSecretOurs ? [secretPart(config.dataDir)] : []), metadataPart(store)];
    const manifest = await withMedia(config, store, media =>
      withLogStore(config, logs =>
        saveBackup(path.resolve(folder), [...parts, media, ...(logs ? [logsPart(logs)] : [])], made),
      ),
    );
    const marked = await mark(store, manifest, { beganAt, folder: path.resolve(folder) });
    const text = `Saved ${describeCounts(manifest)} to ${path.resolve(folder)}.${marked}`;
    const secretNote = isSecretOurs
      ? ''
      : ' The secret is not in it: keep the value of TAPEDECK_SECRET somewhere else.';
    return { text: text + secretNote, json: { ...manifest, secretSaved: isSecretOurs } };
  },
};

/** The backup is good either way: a full disk may be why it is made. Resolves to what else is to be said. */
async function mark(
  store: MetadataStore,
  { version: madeBy, parts, contents }: Manifest,
  { beganAt, folder }: { beganAt: number; folder: string },
): Promise<string> {
  const bytes = Object.values(contents).reduce((sum, part) => sum + part.bytes, 0);
  try {
    await noteBackup({ store }, { beganAt, endedAt: Date.now(), version: madeBy, folder, bytes, parts });
    return '';
  } catch (error) {
    return ` The dashboard will not tell of it: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export const restore: Command = {
  name: 'restore',
  usage: 'DIR',
  about: 'Fill an empty data directory, and an empty database, from a backup.',
  options: {},
  positionals: { min: 1, max: 1 },
  run: async (config, { positionals: [folder = ''] }) => {
    const saved = await openBackup(path.resolve(folder));
    const foreign = await restoreAll(saved, config);
    const lines = [`Restored ${describeCounts(saved.manifest)} from ${saved.folder}.`];
    if (!saved.manifest.parts.secret?.secrets && config.secret === null)
      lines.push('The secret is not in the backup: start with the TAPEDECK_SECRET of before.');
    if (foreign.length > 0)
      lines.push(
        `The start will be refused until you run \`tapedeck adopt\`: ${foreign.join(' and ')} belongs to another installation.`,
      );
    return { text: lines.join('\n'), json: { ...saved.manifest, ofAnotherInstallation: foreign } };
  },
};

/** Stores outside of the data directory that a restore has filled, as the settings name them. */
type Filled = Set<'DATABASE_URL' | 'CLICKHOUSE_URL'>;

/** Resolves to the names of stores that belong to another installation. */
async function restoreAll(saved: Backup, config: Config): Promise<string[]> {
  const filled: Filled = new Set();
  try {
    return await fillDataDirectory(config.dataDir, async draft => {
      await restoreBackup(saved, [secretPart(draft)]);
      const inside = moveConfig(config, draft);
      if (saved.manifest.parts[logsPartName] === undefined)
        return await restoreRest(saved, inside, { logs: null, filled, shards: [] });
      // Awaited here: the log store closes when this function ends.
      return await withNewLogStore({ ...inside, journal: null }, store =>
        restoreWithLogs(saved, inside, { store, filled }),
      );
    });
  } catch (error) {
    throw filled.size === 0 ? error : tellOfFilled(error, filled);
  }
}

async function restoreWithLogs(
  saved: Backup,
  config: Config,
  { store, filled }: { store: AttachedLogStore; filled: Filled },
): Promise<string[]> {
  const logs = logsPart(store);
  await logs.requireEmpty(); // before anything else is filled
  try {
    return await restoreRest(saved, config, { logs, filled, shards: store.shards });
  } finally {
    // One that does not answer may hold something, too.
    const isEmpty = await logs.requireEmpty().then(
      () => true,
      () => false,
    );
    if (config.logs.kind === 'clickhouse' && !isEmpty) filled.add('CLICKHOUSE_URL');
  }
}

async function restoreRest(
  saved: Backup,
  config: Config,
  {
    logs,
    filled,
    shards,
  }: { logs: BackupPart | null; filled: Filled; shards: AttachedLogStore['shards'] | [] },
): Promise<string[]> {
  await using store = await openMetadataStore(config.database);
  await restoreBackup(saved, [metadataPart(store)]); // wholly or not at all
  if (config.database.kind === 'postgres') filled.add('DATABASE_URL');
  const installationId = await keepInstallationId({ store });
  const foreign = await withMedia(config, store, async (media, blobs) => {
    await restoreBackup(saved, logs ? [logs, media] : [media]);
    const mark = await blobs.readMark();
    return mark === null || mark === installationId ? [] : [blobs.title];
  });
  if (config.logs.kind === 'embedded') return foreign;
  // At the end: servers that a failed restore filled are emptied by hand, and their marks would stay.
  return [...foreign, ...(await markUnmarked(shards, openLogServers({ store }, installationId)))];
}

/** The same choices, and what they keep in the data directory in another one. */
function moveConfig(config: Config, dataDir: string): Config {
  const { database, blobs, logs } = config;
  const move = (place: string) => path.join(dataDir, path.relative(config.dataDir, place));
  return {
    ...config,
    dataDir,
    database: database.kind === 'sqlite' ? { ...database, file: move(database.file) } : database,
    blobs: blobs.kind === 'disk' ? { ...blobs, directory: move(blobs.directory) } : blobs,
    logs: logs.kind === 'embedded' ? { ...logs, directory: move(logs.directory) } : logs,
  };
}

/** A bucket need not be emptied: the next try finds the same files in it. */
function tellOfFilled(error: unknown, filled: Filled): ServiceError {
  const names = [...filled].map(name => `TAPEDECK_${name}`).join(' and ');
  const sentence = `Before the next try, empty by hand what ${names} names: this one has filled it.`;
  const code = error instanceof Failure ? error.code : 'unavailable';
  const reason = error instanceof Error ? error.message : String(error);
  return new ServiceError(code, `${reason} ${sentence}`, { cause: error });
}

async function withMedia<T>(
  config: Config,
  store: MetadataStore,
  work: (media: BackupPart, blobs: BlobStore) => Promise<T>,
): Promise<T> {
  await using blobs = await openBlobStore(config.blobs, Date.now);
  const openStaging = () => openOwnStaging(path.join(config.dataDir, 'staging'));
  // Awaited here: the blob store closes when this function ends.
  return await work(blobsPart({ files: store.files, blobs, openStaging }), blobs);
}

function describeCounts({ parts }: Manifest): string {
  const counts = Object.values(parts).flatMap(part => Object.entries(part));
  return counts.map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`).join(', ') || 'nothing';
}
