/**
 * Moves files' bytes between public and unguessable places as visibility changes. A row records each place before bytes are written there, so
 * the next sweep finishes interrupted moves.
 */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { newId } from '@tapedeck/values/random-ids';
import type { BlobStore } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { BlobSecret, FileMove, FileMoves } from '../ports/fileMoves.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { ServiceError } from '../vocabulary.ts';
import { isPrivate } from './librarySettings.ts';
import { nameBlob } from './naming.ts';
import { walkAllFiles } from './pageIteration.ts';
import { PartialFailures } from './partialFailures.ts';
import type { PublicFiles } from './publicFiles.ts';
import { removeBlobs } from './removal.ts';

export type RelocationDeps = {
  files: FileRecords;
  fileMoves: FileMoves;
  blobs: BlobStore;
  clock: Clock;
  publicFiles: Pick<PublicFiles, 'forget'>;
  store: Pick<MetadataStore, 'read'>;
};

const claimMs = 10 * 60_000; // far beyond the longest call to a bucket
const waitMs = 10_000; // the caller waits for the answer
const pollMs = 100;
const filesPerTurn = 200; // one query's worth
const filesAtOnce = 8; // per change: bytes may have to be copied

/** False for disks, where each file has a single place that only the service reads. */
function hasPrivatePlaces({ blobs }: Pick<RelocationDeps, 'blobs'>): boolean {
  const sample = { project: 'a', fileId: newId(), storageKey: 'a.png', createdAt: 0 };
  const places = [null, newId()].map(secret => blobs.placeOf({ ...sample, secret }, null));
  return places[0] !== places[1];
}

/**
 * Changes a file, then moves its bytes where they belong. Once it resolves, they are nowhere else. If the process ends before, the next sweep
 * continues.
 */
export async function changeWithRelocation<T>(
  deps: RelocationDeps,
  file: StoredFile,
  change: () => Promise<T>,
): Promise<T> {
  return await changeAllWithRelocation(deps, [file], change);
}

/** Like `changeWithRelocation`, for a change of several files. */
export async function changeAllWithRelocation<T>(
  deps: RelocationDeps,
  files: readonly StoredFile[],
  change: () => Promise<T>,
): Promise<T> {
  if (!hasPrivatePlaces(deps)) return await change();
  const mark = () => Promise.all(files.map(({ id }) => deps.fileMoves.mark(id, deps.clock.now())));
  await mark();
  const changed = await change();
  // Another worker may have handled the first mark before the change.
  await mark();
  for (let from = 0; from < files.length; from += filesAtOnce) {
    const some = files.slice(from, from + filesAtOnce);
    const outcomes = await Promise.allSettled(some.map(file => relocateInTime(deps, file)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
  return changed;
}

async function relocateInTime(deps: RelocationDeps, file: StoredFile): Promise<void> {
  const until = performance.now() + waitMs;
  while ((await settle(deps, file.id)) === 'held') {
    if (performance.now() > until)
      throw new ServiceError(
        'unavailable',
        'The change is stored, but another node still moves the bytes of this file; look again in a minute.',
      );
    await setTimeout(pollMs);
  }
}

/** Moves one file's bytes where they belong, unless another worker holds the file. */
async function settle(deps: RelocationDeps, fileId: string): Promise<'settled' | 'held'> {
  const { fileMoves, clock } = deps;
  for (;;) {
    const move = await fileMoves.claim(fileId, clock.now(), clock.now() + claimMs);
    if (move === null) return 'settled';
    if (move === 'held') return 'held';
    try {
      await moveBlob(deps, move);
    } catch (error) {
      // The next sweep tries again.
      await fileMoves.finish({ ...move, marks: -1 }, clock.now()).catch(() => undefined);
      throw error;
    }
    if (await fileMoves.finish(move, clock.now())) return 'settled';
  }
}

/** Copies to the new place, updates the record, and only then removes the bytes elsewhere. */
async function moveBlob(deps: RelocationDeps, move: FileMove): Promise<void> {
  const places = new Set<BlobSecret>(move.secrets);
  let [file] = await deps.files.findMany([move.fileId]);
  const known = file;
  while (file !== undefined) {
    const isHidden = await mustBeHidden(deps, file);
    places.add(file.blobSecret);
    if (isHidden === (file.blobSecret !== null)) break;
    const secret = isHidden ? newId() : null;
    // Adds both, since bytes may be left over at either.
    for (const place of [secret, file.blobSecret])
      if (!(await deps.fileMoves.addPlace(move, place))) throw lostError();
    places.add(secret);
    await copyBytes(deps, file, secret);
    await deps.files.relocate(file, secret);
    deps.publicFiles.forget(file);
    [file] = await deps.files.findMany([move.fileId]);
  }
  const left = file ?? known;
  if (left === undefined) return; // the blob sweep finds blobs without records
  for (const secret of places) {
    if (secret === file?.blobSecret) continue;
    await removeBlobs(deps.blobs, { ...left, blobSecret: secret });
  }
}

async function mustBeHidden({ files, store }: RelocationDeps, file: StoredFile): Promise<boolean> {
  // Files in the trash have no URL, so the bucket must not serve them either.
  if ((await files.find(file.project, file.id)) === null) return true;
  const project = await store.read.projects.find(file.project);
  return project !== null && isPrivate(project, file);
}

async function copyBytes(
  { blobs, files }: RelocationDeps,
  file: StoredFile,
  secret: BlobSecret,
): Promise<void> {
  const name = nameBlob(file);
  const to = blobs.placeOf({ ...name, secret }, null);
  const isCopied = await blobs.copy(blobs.placeOf(name, null), to, file.mimeType);
  if (isCopied && (await blobs.size(to)) === file.sizeBytes) return;
  if ((await files.findMany([file.id])).length === 0) return; // deleted meanwhile
  throw new ServiceError('blobs_unavailable', `The bytes of the file ${file.id} could not be moved.`);
}

function lostError(): ServiceError {
  return new ServiceError(
    'unavailable',
    'Moving the bytes of this file took too long; the service will try again.',
  );
}

/** Finishes moves that requests or dead nodes left behind. */
export async function finishMoves(deps: RelocationDeps, signal: AbortSignal): Promise<void> {
  const failures = new PartialFailures(deps.blobs, 'the bytes of a file could not be moved');
  const due = await deps.fileMoves.listDue(deps.clock.now(), filesPerTurn);
  for (const id of due) {
    signal.throwIfAborted();
    await failures.attempt(() => settle(deps, id));
  }
  failures.throwIfAny();
}

export type RelocationSweepDeps = RelocationDeps & { store: Pick<MetadataStore, 'read' | 'write'> };

const factName = 'file places';

/**
 * Checks all files after the folder rules have changed, or if `isForced`. The first sweep always runs, because an older version may have left
 * private files at public places.
 */
export async function sweepRelocations(
  deps: RelocationSweepDeps,
  { isForced, signal }: { isForced: boolean; signal: AbortSignal },
): Promise<void> {
  if (!hasPrivatePlaces(deps)) return;
  const projects = await deps.store.read.projects.list();
  const rules = projects
    .filter(({ visibility }) => visibility.folders.length > 0)
    .map(({ slug, visibility }) => [slug, visibility.folders]);
  const digest = createHash('sha256').update(JSON.stringify(rules)).digest('hex');
  // Another node may apply the old rules for a second more, so a second sweep follows.
  const known = await deps.store.read.installation.find(factName);
  if (!isForced && known === `${digest} twice`) return;
  const bySlug = new Map(projects.map(project => [project.slug, project]));
  const failures = new PartialFailures(deps.blobs, 'the bytes of a file could not be moved');
  for await (const file of walkAllFiles(deps.files)) {
    signal.throwIfAborted();
    const project = bySlug.get(file.project);
    if (project === undefined) continue;
    if (isPrivate(project, file) === (file.blobSecret !== null)) continue;
    await failures.attempt(() => changeWithRelocation(deps, file, async () => undefined));
  }
  failures.throwIfAny();
  const looked = `${digest} ${known?.startsWith(digest) ? 'twice' : 'once'}`;
  await deps.store.write(({ installation }) => installation.put(factName, looked));
}
