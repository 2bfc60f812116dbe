/** Compares records with bytes in both directions, including hashes, and with their lists and counts. Repairs only on request, and never deletes bytes. */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { BlobEntry, BlobPlace } from '../ports/blobs.ts';
import type {
  CountFinding,
  FileRecords,
  FolderFinding,
  ListFinding,
  MetadataFinding,
  StoredFile,
} from '../ports/files.ts';
import { isTooMuch } from './blobSweep.ts';
import { nameBlob } from './naming.ts';
import { listBlobs, type OrphanDeps } from './orphans.ts';
import { walkAllFiles } from './pageIteration.ts';

export type Finding =
  | ListFinding
  /** The record exists, but its bytes are gone. */
  | { problem: 'missing'; fileId: string; project: string; key: string; repaired: boolean }
  /** The bytes differ from the upload. */
  | { problem: 'damaged'; fileId: string; project: string; key: string; repaired: boolean }
  /** Bytes without a record. */
  | { problem: 'orphan'; place: BlobPlace; bytes: number; repaired: boolean }
  /** A file that this service did not write; never touched. */
  | { problem: 'foreign'; place: BlobPlace; bytes: number; repaired: boolean };

type Verification = { files: number; bytes: number; findings: Finding[] };

const settleMs = 1_000; // a hundred times as long as a commit

export async function verifyFiles(
  deps: OrphanDeps,
  options: { repair: boolean; onProgress?: (files: number) => void },
): Promise<Verification> {
  // First, because a repair of bytes may remove files from lists.
  const result: Verification = {
    files: 0,
    bytes: 0,
    findings: await verifyLists(deps.files, options.repair),
  };
  for await (const file of walkAllFiles(deps.files)) {
    const finding = await verifyFile(deps, file, options.repair);
    if (finding !== null) result.findings.push(finding);
    result.files += 1;
    result.bytes += file.sizeBytes;
    options.onProgress?.(result.files);
  }
  result.findings.push(...(await verifyBlobs(deps, options.repair)));
  return result;
}

/** Returns one finding per folder and count, and one for the metadata of a project. */
async function verifyLists(files: FileRecords, repair: boolean): Promise<ListFinding[]> {
  const folders = new Map<string, FolderFinding>();
  const others: (CountFinding | MetadataFinding)[] = [];
  for await (const finding of files.checkLists({ repair })) {
    if (finding.problem !== 'folder') {
      others.push(finding);
      continue;
    }
    const name = `${finding.project}/${finding.folder}`;
    const known = folders.get(name);
    folders.set(name, known === undefined ? finding : addUp(known, finding));
  }
  return [...folders.values(), ...others];
}

function addUp(one: FolderFinding, other: FolderFinding): FolderFinding {
  return {
    ...one,
    unlisted: one.unlisted + other.unlisted,
    stray: one.stray + other.stray,
    miscounted: one.miscounted + other.miscounted,
    repaired: one.repaired && other.repaired,
  };
}

async function verifyBlobs(deps: OrphanDeps, repair: boolean): Promise<Finding[]> {
  const found: BlobEntry[] = [];
  const { signal } = new AbortController(); // a command ends with its process
  let seen = 0;
  for await (const turn of listBlobs(deps, signal)) {
    found.push(...turn.withoutFile);
    seen += turn.seen;
  }
  const findings: Finding[] = [];
  // As in the sweep: with too many orphans, the records are probably wrong.
  const mayRepair = repair && !isTooMuch(found.filter(({ fileId }) => fileId !== null).length, seen);
  // Uploads store the blob before the record, deletions remove the record before the blob: both have finished by now.
  if (found.length > 0) await setTimeout(settleMs);
  for (const { place, fileId, sizeBytes } of found) {
    const [file] = fileId === null ? [] : await deps.files.findMany([fileId]);
    if (file !== undefined && deps.blobs.isPlaceOf(place, nameBlob(file))) continue;
    if (fileId !== null && (await deps.blobs.size(place)) === null) continue;
    const problem = fileId === null ? 'foreign' : 'orphan';
    const repaired = fileId !== null && mayRepair && (await deps.blobs.quarantine(place, deps.clock.now()));
    findings.push({ problem, place, bytes: sizeBytes, repaired });
  }
  return findings;
}

async function verifyFile(deps: OrphanDeps, file: StoredFile, repair: boolean): Promise<Finding | null> {
  const place = deps.blobs.placeOf(nameBlob(file), null);
  const state = await checkBytes(deps, file, place);
  if (state === 'sound' || (await isDeletedMeanwhile(deps, file))) return null;
  const repaired = repair && (await repairFile(deps, file, { place, state }));
  return { problem: state, fileId: file.id, project: file.project, key: file.key, repaired };
}

async function checkBytes(
  { blobs }: OrphanDeps,
  file: StoredFile,
  place: BlobPlace,
): Promise<'sound' | 'missing' | 'damaged'> {
  const sizeBytes = await blobs.size(place);
  if (sizeBytes === null) return 'missing';
  if (sizeBytes !== file.sizeBytes) return 'damaged';
  const stream = await blobs.read(place, { start: 0, end: sizeBytes });
  if (stream === null) return 'missing';
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex') === file.sha256 ? 'sound' : 'damaged';
}

/** Whether the file was deleted during the check; that is not a finding. */
async function isDeletedMeanwhile({ files }: OrphanDeps, file: StoredFile): Promise<boolean> {
  return (await files.find(file.project, file.id)) === null;
}

/** Restores intact bytes from quarantine. Otherwise removes the record and quarantines damaged bytes. */
async function repairFile(
  deps: OrphanDeps,
  file: StoredFile,
  { place, state }: { place: BlobPlace; state: 'missing' | 'damaged' },
): Promise<boolean> {
  if (state === 'missing' && (await deps.blobs.restore(place))) {
    if ((await checkBytes(deps, file, place)) === 'sound') return true;
  }
  await deps.blobs.quarantine(place, deps.clock.now());
  const removed = await deps.files.remove(file, deps.clock.now());
  await deps.files.finishRemoval(file.id);
  return removed;
}
