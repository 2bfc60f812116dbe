/** `tapedeck backup` and `tapedeck restore`: everything that is stored, into a folder and back. */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config.ts';
import type { BackupPart } from '../domain/ports/backup.ts';
import type { MetadataStore } from '../domain/ports/metadata.ts';
import { blobsPart } from '../stores/backup/blobsPart.ts';
import { type Manifest, requireEmptyFolder, restoreBackup, saveBackup } from '../stores/backup/folder.ts';
import { metadataPart } from '../stores/backup/metadataPart.ts';
import { secretPart } from '../stores/backup/secretPart.ts';
import { openBlobStore, openOwnStaging } from '../stores/blobs/store.ts';
import { logsPart, logsPartName } from '../stores/logs/backupPart.ts';
import { openMetadataStore } from '../stores/metadata/store.ts';
import { version } from '../version.ts';
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
    const made = { version, createdAt: new Date().toISOString() };
    const parts = [secretPart(config.dataDir), metadataPart(store)];
    const manifest = await withMedia(config, store, media =>
      withLogStore(config, logs =>
        saveBackup(path.resolve(folder), [...parts, media, ...(logs ? [logsPart(logs)] : [])], made),
      ),
    );
    return { text: `Saved ${describeCounts(manifest)} to ${path.resolve(folder)}.`, json: manifest };
  },
};

export const restore: Command = {
  name: 'restore',
  usage: 'DIR',
  about: 'Fill an empty data directory, and an empty database, from a backup.',
  options: {},
  positionals: { min: 1, max: 1 },
  run: async (config, { positionals: [folder = ''] }) => {
    const sentence = `The data directory ${config.dataDir} holds something; restore into an empty one.`;
    await requireEmptyFolder(config.dataDir, sentence);
    const manifest = await restoreAll(path.resolve(folder), config);
    return { text: `Restored ${describeCounts(manifest)} from ${path.resolve(folder)}.`, json: manifest };
  },
};

/** What a failed restore has begun goes again, so that the next try finds the directory empty. */
async function restoreAll(folder: string, config: Config): Promise<Manifest> {
  try {
    await restoreBackup(folder, [secretPart(config.dataDir)]);
    if (!existsSync(path.join(folder, logsPartName))) return await restoreRest(folder, config, []);
    // Awaited here: what a failed restore has begun goes once everything is closed.
    return await withNewLogStore(config, async store => {
      const logs = logsPart(store);
      await logs.requireEmpty(); // before anything else is filled
      return await restoreRest(folder, config, [logs]);
    });
  } catch (error) {
    for (const name of await readdir(config.dataDir))
      await rm(path.join(config.dataDir, name), { recursive: true });
    throw error;
  }
}

async function restoreRest(folder: string, config: Config, logs: readonly BackupPart[]): Promise<Manifest> {
  await using store = await openMetadataStore(config.database);
  const parts = [metadataPart(store), ...logs];
  return await withMedia(config, store, media => restoreBackup(folder, [...parts, media]));
}

async function withMedia<T>(
  config: Config,
  store: MetadataStore,
  work: (media: BackupPart) => Promise<T>,
): Promise<T> {
  await using blobs = await openBlobStore(config.blobs, Date.now);
  const staging = await openOwnStaging(path.join(config.dataDir, 'staging'));
  // Awaited here: the blob store closes when this function ends.
  return await work(blobsPart({ files: store.files, blobs, staging }));
}

function describeCounts({ parts }: Manifest): string {
  const counts = Object.values(parts).flatMap(part => Object.entries(part));
  return counts.map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`).join(', ') || 'nothing';
}
