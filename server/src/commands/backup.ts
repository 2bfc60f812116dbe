/** `tapedeck backup`: backs up the installation into a folder. */
import path from 'node:path';
import { openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';
import { recordBackup } from '@tapedeck/domain/operations/backups';
import { keepInstallationId } from '@tapedeck/domain/operations/installation';
import type { BackupFiles, BackupPart } from '@tapedeck/domain/ports/backup';
import type { BlobStore } from '@tapedeck/domain/ports/blobs';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { logsPart } from '@tapedeck/log-store';
import { openMetadataStore } from '@tapedeck/metadata-store';
import type { Config } from '../config.ts';
import { type MetadataPart, metadataPart } from '../stores/backup/metadataPart.ts';
import { type Manifest, saveBackup } from '../stores/backupFolder.ts';
import { openBackupFolderFiles } from '../stores/blobs/backupFolderFiles.ts';
import { blobsPart } from '../stores/blobs/blobsPart.ts';
import { secretPart } from '../stores/dataDirectory/secretPart.ts';
import { version } from '../version.ts';
import { isBucketUrl, openBackupBucket } from './backupBucket.ts';
import { describeContents, describeRepeated } from './backupMessages.ts';
import { openBackupProgress } from './backupProgress.ts';
import type { Command, CommandArguments } from './command.ts';
import { explainRefusals } from './diskErrors.ts';
import { withLogStore } from './logStore.ts';

export const backup: Command = {
  name: 'backup',
  usage: 'DIR|s3://BUCKET[/FOLDER]',
  about:
    'Back everything up into a folder or bucket, while the service runs. Repeated backups to one place copy only new files.',
  options: {},
  needsSecret: true,
  positionals: { min: 1, max: 1, arePaths: true },
  run: async (config, given) => {
    const [place = ''] = given.positionals;
    const title = isBucketUrl(place) ? place : path.resolve(place);
    const where = isBucketUrl(place) ? config.dataDir : title;
    return await explainRefusals(
      { where, again: 'The next backup there continues from the files that it finds.' },
      () => makeBackup(config, given, title),
    );
  },
};

async function makeBackup(config: Config, given: CommandArguments, title: string) {
  await using bucket = isBucketUrl(title) ? await openBackupBucket(title, config, given) : null;
  const folder = bucket?.folder ?? title;
  await using store = await openMetadataStore(config.database);
  const beganAt = Date.now();
  const installation = await keepInstallationId({ store });
  const made = { version, createdAt: new Date(beganAt).toISOString(), installation };
  const isSecretOurs = config.secret === null;
  const rows = metadataPart(store);
  const parts = [...(isSecretOurs ? [secretPart(config.dataDir)] : []), rows];
  const watch = given.isJson ? null : openBackupProgress(line => process.stderr.write(`${line}\n`));
  const manifest = await withMedia({ config, store, rows, files: bucket?.files ?? null }, media =>
    withLogStore(config, logs =>
      saveBackup(folder, [...parts, media, ...(logs ? [{ ...logsPart(logs), isShared: false }] : [])], {
        ...made,
        watch,
      }),
    ),
  );
  await bucket?.send(manifest);
  const marked = await mark(store, manifest, { beganAt, folder: title });
  const text = `Saved ${describeContents(manifest)}${describeRepeated(manifest)} to ${title}.${marked}`;
  const secretNote = isSecretOurs
    ? ''
    : ' It does not include the secret: keep the value of TAPEDECK_SECRET somewhere else.';
  return { text: text + secretNote, json: { ...manifest, secretSaved: isSecretOurs } };
}

/** Resolves to a note if the backup cannot be recorded. The backup is good anyway: the disk may be full. */
async function mark(
  store: MetadataStore,
  { version: madeBy, parts, contents }: Manifest,
  { beganAt, folder }: { beganAt: number; folder: string },
): Promise<string> {
  const bytes = Object.values(contents).reduce((sum, part) => sum + part.bytes, 0);
  try {
    await recordBackup({ store }, { beganAt, endedAt: Date.now(), version: madeBy, folder, bytes, parts });
    return '';
  } catch (error) {
    return ` The dashboard will not show this backup: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** `files`: where the backup keeps files, unless in its folder. */
export async function withMedia<T>(
  {
    config,
    store,
    rows,
    files,
  }: { config: Config; store: MetadataStore; rows: MetadataPart; files: BackupFiles | null },
  work: (media: BackupPart, blobs: BlobStore) => Promise<T>,
): Promise<T> {
  await using blobs = await openBlobStore(config.blobs, Date.now);
  const openStaging = () => openOwnStaging(path.join(config.dataDir, 'staging'));
  const openFiles = (folder: string) => files ?? openBackupFolderFiles(folder);
  // Awaited here, because the blob store closes when this function returns.
  return await work(
    blobsPart({ files: store.files, listSaved: rows.listFiles, blobs, openStaging, openFiles }),
    blobs,
  );
}
