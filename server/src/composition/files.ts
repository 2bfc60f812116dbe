/** Opens the media stores and the jobs around them. */
import path from 'node:path';
import { blobReadBytesMax, openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';
import { openArchiveGate } from '@tapedeck/domain/files/archive';
import { requireOwnBlobs } from '@tapedeck/domain/files/bucketOwnership';
import { type FolderMover, openFolderMover } from '@tapedeck/domain/files/folderMover';
import { openPublicFiles } from '@tapedeck/domain/files/publicFiles';
import { openResumableUploads } from '@tapedeck/domain/files/resumable';
import { openVariantMaker } from '@tapedeck/domain/files/variants';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import type { Config } from '../config.ts';
import { openOriginals } from '../http/media/mediaContent.ts';
import { makeMediaMemory } from '../http/media/mediaMemory.ts';
import { listFileJobs } from '../jobs/files.ts';
import { listMoveJobs } from '../jobs/folderMoves.ts';
import { openPreviewMaker } from '../stores/images/previews/previewMaker.ts';
import { openSharpScaler } from '../stores/images/sharpScaler.ts';
import type { CoreStores } from './coreStores.ts';
import type { SharedParts } from './sharedParts.ts';

/** Opens the media stores and starts the jobs around them. */
export async function openFiles(
  config: Config,
  { store, installationId, reserve, access }: CoreStores & { access: AccessDirectory },
  shared: SharedParts,
) {
  const { log, clock, opened, repeated, watch, counts, spans } = shared;
  let isUnavailable = false;
  const reportOutage = (reason: string) => {
    isUnavailable = true;
    log.warn({ reason }, 'the file store is unavailable; trying again');
  };
  const blobs = opened.use(await openBlobStore(config.blobs, () => clock.now(), reportOutage));
  watch.add({ name: 'blobs', ping: () => blobs.check(), pingWriting: () => blobs.checkWriting() });
  const staging = opened.use(await openOwnStaging(path.join(config.dataDir, 'staging')));
  const { files, presignedUses, resumableUploads } = store;
  const partials = blobs.openPartials(staging);
  const { fileSizeBytesMax } = config;
  const reportLostUse = (error: unknown) =>
    log.warn({ err: error }, 'could not release a use of a presigned URL');
  const begun = { clock, fileSizeBytesMax, presignedUses, reportLostUse, partials, resumableUploads };
  const resumable = opened.use(await openResumableUploads(begun, config.database.kind === 'sqlite'));
  const deps = {
    blobs,
    staging,
    files,
    publicFiles: openPublicFiles(files, watch.watchOf('database')),
    makeVariant: openVariantMaker({
      blobs,
      files,
      staging,
      scaler: opened.use(openSharpScaler()),
      previews: openPreviewMaker(),
    }),
    describeOriginal: openOriginals(blobs),
    mediaMemory: makeMediaMemory(blobReadBytesMax),
    fileMoves: store.fileMoves,
    archiveGate: openArchiveGate(),
    ...begun,
    reserve,
    resumable,
    counts,
    spans,
    blobsPublicUrl: config.blobs.kind === 's3' ? config.blobs.publicUrl : null,
  };
  const ownDeps = { blobs, files, store, installationId };
  if (!isUnavailable) await requireOwnBlobs(ownDeps);
  const isShared = config.database.kind === 'postgres';
  repeated.push(...listFileJobs({ ...deps, ...ownDeps }, { areBlobsKnown: !isUnavailable, isShared }));
  return { ...deps, folderMover: openMoves(config, { ...deps, store, access }, shared) };
}

function openMoves(
  { database }: Config,
  deps: Omit<Parameters<typeof openFolderMover>[0], 'report'>,
  { log, opened, repeated }: SharedParts,
): FolderMover {
  const report = (err: unknown) => log.warn({ err }, 'moving a folder was interrupted; resuming');
  const mover = opened.use(openFolderMover({ ...deps, report }));
  repeated.push(...listMoveJobs(mover, database.kind === 'postgres'));
  return mover;
}
