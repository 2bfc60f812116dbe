/**
 * Backs up into a bucket, under the same names as in a folder. Uploads files directly. Writes the rest to the data directory first, then uploads it,
 * with the manifest last.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ObjectFolder, openObjectFolder } from '@tapedeck/blob-stores';
import { Misuse } from '@tapedeck/command-line';
import type { BackupFiles } from '@tapedeck/domain/ports/backup';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { isHeld, lockDirectory, lockName, makeDirectory } from '@tapedeck/durable-files';
import { Failure } from '@tapedeck/values/failure';
import type { Config } from '../config.ts';
import { readBackupBucket } from '../settings/backup.ts';
import { listNames, type Manifest, manifestName, readIndex, unfinishedName } from '../stores/backupFolder.ts';
import { mediaPartName } from '../stores/blobs/blobsPart.ts';
import type { CommandArguments } from './command.ts';

type BackupBucket = AsyncDisposable & {
  title: string;
  /** Holds everything but the files. */
  folder: string;
  files: BackupFiles;
  findSize(name: string): Promise<number | null>;
  /** Uploads the folder and removes objects that no longer belong. */
  send(manifest: Manifest): Promise<void>;
};

export function isBucketUrl(text: string): boolean {
  return text.startsWith('s3://');
}

export async function openBackupBucket(
  url: string,
  config: Config,
  { environment }: Pick<CommandArguments, 'environment'>,
): Promise<BackupBucket> {
  const [, bucket = '', path_ = ''] = /^s3:\/\/([^/]+)\/*(.*?)\/*$/.exec(url) ?? [];
  if (bucket === '') throw new Misuse('A bucket is written as s3://BUCKET or s3://BUCKET/FOLDER.');
  const choice = readBackupBucket(environment, bucket);
  const { blobs } = config;
  if (blobs.kind === 's3' && blobs.bucket === bucket && blobs.endpoint === choice.endpoint)
    throw new ServiceError(
      'unavailable',
      `The bucket ${bucket} holds the media themselves: name another one.`,
    );
  await using opened = new AsyncDisposableStack();
  const objects = opened.use(await openObjectFolder(choice, path_ === '' ? '' : `${path_}/`));
  await makeDirectory(config.dataDir);
  const folder = await makeOwnFolder(config.dataDir, opened);
  const sizes = new Map<string, number>();
  for await (const { name, sizeBytes } of objects.list()) sizes.set(name, sizeBytes);
  await fetchAll(objects, sizes, folder);
  const running = opened.move();
  return {
    title: url,
    folder,
    files: openBucketFiles(objects, sizes, folder),
    findSize: async name => sizes.get(name) ?? null,
    send: manifest => send(objects, manifest, folder),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const ownFolderPrefix = 'backup-';

/** Makes a folder in the data directory for everything but the files. Removes folders that killed backups left there. */
async function makeOwnFolder(dataDir: string, opened: AsyncDisposableStack): Promise<string> {
  for (const name of await readdir(dataDir)) {
    const left = path.join(dataDir, name);
    const isLeft = name.startsWith(ownFolderPrefix) && existsSync(path.join(left, lockName));
    if (isLeft && !isHeld(left)) await rm(left, { recursive: true, force: true });
  }
  const own = await mkdtemp(path.join(dataDir, ownFolderPrefix));
  opened.defer(() => rm(own, { recursive: true, force: true }));
  const lock = lockDirectory(own);
  opened.defer(() => lock[Symbol.dispose]());
  const folder = path.join(own, 'backup');
  await makeDirectory(folder);
  return folder;
}

/** Fetches all but the files. Of an unfinished backup, fetches only its owner mark. */
async function fetchAll(
  objects: ObjectFolder,
  sizes: ReadonlyMap<string, number>,
  folder: string,
): Promise<void> {
  const isComplete = sizes.has(manifestName);
  if (sizes.size > 0 && !isComplete && !sizes.has(unfinishedName)) {
    const [other = ''] = sizes.keys();
    throw new ServiceError(
      'not_empty',
      `${objects.title} holds ${other} there but no backup; choose an empty folder.`,
    );
  }
  for (const [name, sizeBytes] of sizes) {
    if (name.startsWith(`${mediaPartName}/`) || (!isComplete && name !== unfinishedName)) continue;
    const place = path.join(folder, name);
    if (!place.startsWith(folder + path.sep))
      throw new ServiceError('unavailable', `${name} is not the name of a backup.`);
    await makeDirectory(path.dirname(place));
    const bytes = sizeBytes === 0 ? Readable.from([]) : await objects.read(name, sizeBytes);
    if (bytes !== null) await writeFile(place, bytes, { mode: 0o600 });
  }
}

function openBucketFiles(objects: ObjectFolder, sizes: Map<string, number>, folder: string): BackupFiles {
  let begun: Promise<void> | null = null;
  const nameOf = (name: string) => `${mediaPartName}/${name}`;
  return {
    sizeOf: async name => sizes.get(nameOf(name)) ?? null,
    async write(name, { sizeBytes, sha256, open }) {
      begun ??= sendFile(objects, folder, unfinishedName);
      await begun;
      let sent = '';
      const hashed = async function* (bytes: Readable): AsyncGenerator<Uint8Array> {
        const hash = createHash('sha256');
        for await (const chunk of bytes) {
          hash.update(chunk);
          yield chunk;
        }
        sent = hash.digest('hex');
      };
      const payload = { sizeBytes, sha256, open: async () => Readable.from(hashed(await open())) };
      try {
        await objects.put(nameOf(name), payload);
      } catch (error) {
        // A bucket refuses bytes that do not match the given hash.
        if (sent !== '' && sent !== sha256) return false;
        throw explainObject(error, objects, nameOf(name));
      }
      if (sent !== sha256) await objects.remove(nameOf(name));
      return sent === sha256;
    },
    async read(name) {
      const sizeBytes = sizes.get(nameOf(name));
      return sizeBytes === undefined ? null : await objects.read(nameOf(name), sizeBytes);
    },
    finish: async () => undefined,
  };
}

async function sendFile(objects: ObjectFolder, folder: string, name: string): Promise<void> {
  const file = path.join(folder, name);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const { size: sizeBytes } = await stat(file);
  const open = async () => createReadStream(file);
  try {
    await objects.put(name, { sizeBytes, sha256: hash.digest('hex'), open });
  } catch (error) {
    throw explainObject(error, objects, name);
  }
}

/** Names the bucket and quotes its answer, because the store's own sentence addresses clients of the service. */
function explainObject(error: unknown, { title }: ObjectFolder, name: string): unknown {
  if (!(error instanceof Failure)) return error;
  let answer: Error = error;
  while (answer.cause instanceof Error) answer = answer.cause; // the failures around it count attempts
  const reason = answer.message;
  const sentence = `${title} did not accept ${name}: ${reason.replace(/\.$/, '')}. The next backup there continues from the files that it finds.`;
  return new ServiceError(
    'unavailable',
    sentence.replace(/^./, first => first.toUpperCase()),
    {
      cause: error,
    },
  );
}

async function send(objects: ObjectFolder, manifest: Manifest, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/');
    if (entry.isFile() && name !== manifestName && name !== lockName) await sendFile(objects, folder, name);
  }
  await sendFile(objects, folder, manifestName);
  const kept = new Set(listNames(manifest));
  const files = new Set<string>();
  for await (const [file] of readIndex({ folder, manifest }, mediaPartName))
    files.add(`${mediaPartName}/${file}`);
  for await (const { name } of objects.list()) {
    const [top = ''] = name.split('/');
    if (top === mediaPartName ? !files.has(name) : !kept.has(top)) await objects.remove(name);
  }
}
