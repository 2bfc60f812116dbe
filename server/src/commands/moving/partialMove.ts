/** Moves unfinished uploads, so that they resume in the bucket at the same byte. */
import type { Staging } from '@tapedeck/blob-stores';
import type { PartialBlobs } from '@tapedeck/domain/ports/blobs';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { Upload } from '@tapedeck/domain/ports/resumableUploads';
import type { BlobRoute } from './fileMove.ts';

const uploadsPerTurn = 500; // the page of one query

/** `leftOut`: uploads whose bytes are gone. Their senders are asked to start again, as before the move. */
type PartialsMoved = { moved: number; leftOut: number };

/** Requires a stopped service. */
export async function movePartials(
  { from, to }: BlobRoute,
  { resumableUploads }: MetadataStore,
  staging: Staging,
): Promise<PartialsMoved> {
  const partials = { from: from.openPartials(staging), to: to.openPartials(staging) };
  const done: PartialsMoved = { moved: 0, leftOut: 0 };
  let afterId = '';
  for (;;) {
    const query = { now: Number.MAX_SAFE_INTEGER, afterId, limit: uploadsPerTurn };
    const ids = await resumableUploads.listExpired(query); // by then all have expired
    for (const id of ids) {
      const upload = await resumableUploads.find(id);
      await partials.to.delete(id); // an earlier try left it
      if (upload === null || upload.result !== null || upload.sizeBytes === 0) continue;
      if (await movePartial(partials, upload)) done.moved += 1;
      else done.leftOut += 1;
    }
    const last = ids.at(-1);
    if (last === undefined) return done;
    afterId = last;
  }
}

/** Resolves to false, and leaves nothing in the target, if the bytes can't be read to their end. */
async function movePartial(
  { from, to }: { from: PartialBlobs; to: PartialBlobs },
  { id, sizeBytes }: Upload,
): Promise<boolean> {
  let lost: unknown = null;
  let keptBytes = 0;
  const read = async function* () {
    try {
      yield* await from.read({ name: id, sizeBytes }, { start: 0, end: sizeBytes });
    } catch (error) {
      lost = error;
      throw error;
    }
  };
  const reportStored = async (bytes: number) => {
    keptBytes = bytes;
  };
  try {
    await to.append({ name: id, sizeBytes: 0 }, { chunks: read(), reportStored, isOnTrial: false });
  } catch (error) {
    if (error !== lost) throw error;
  }
  if (keptBytes === sizeBytes) return true;
  await to.delete(id);
  return false;
}
