/** Moves unfinished uploads, so that they resume in the bucket at the same byte. */
import type { Staging } from '@tapedeck/blob-stores';
import type { MetadataStore } from '../../domain/ports/metadata.ts';
import type { BlobRoute } from './fileMove.ts';

const uploadsPerTurn = 500; // the page of one query

/** Requires a stopped service. Returns the number of uploads. */
export async function movePartials(
  { from, to }: BlobRoute,
  { resumableUploads }: MetadataStore,
  staging: Staging,
): Promise<number> {
  const [partialsFrom, partialsTo] = [from.openPartials(staging), to.openPartials(staging)];
  let moved = 0;
  let afterId = '';
  for (;;) {
    const query = { now: Number.MAX_SAFE_INTEGER, afterId, limit: uploadsPerTurn };
    const ids = await resumableUploads.listExpired(query); // by then all have expired
    for (const id of ids) {
      const upload = await resumableUploads.find(id);
      await partialsTo.delete(id); // an earlier try left it
      if (upload === null || upload.result !== null || upload.sizeBytes === 0) continue;
      const chunks = await partialsFrom.read(
        { name: id, sizeBytes: upload.sizeBytes },
        { start: 0, end: upload.sizeBytes },
      );
      let keptBytes = 0;
      const reportStored = async (bytes: number) => {
        keptBytes = bytes;
      };
      await partialsTo.append({ name: id, sizeBytes: 0 }, { chunks, reportStored, isOnTrial: false });
      if (keptBytes !== upload.sizeBytes)
        throw new Error(`Of the upload ${id} ${keptBytes} bytes were kept.`);
      moved += 1;
    }
    const last = ids.at(-1);
    if (last === undefined) return moved;
    afterId = last;
  }
}
