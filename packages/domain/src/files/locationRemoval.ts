/** Removes locations from files before they are stored. Does not touch the picture itself. */
import { type BytePatch, findLocations, type IdentifiedMedia, UnsupportedMedia } from '@tapedeck/media-facts';
import type { StagedFile, Staging } from '../ports/blobs.ts';
import { ServiceError } from '../vocabulary.ts';

type Source = Pick<StagedFile, 'sizeBytes' | 'read'>;
type Arrived = { media: IdentifiedMedia };

/** Returns the file without locations: the same file if it has none. */
export async function removeLocations(
  { staging }: { staging: Staging },
  staged: StagedFile,
  arrived: Arrived,
): Promise<StagedFile> {
  const patches = await findPatches(staged, arrived);
  return patches.length === 0 ? staged : await staging.patch(staged, patches);
}

/** Finds the patches for the bytes. Rejects files with more metadata than it can search. */
export async function findPatches(source: Source, { media }: Arrived): Promise<BytePatch[]> {
  try {
    return await findLocations(
      { sizeBytes: source.sizeBytes, read: (position, lengthBytes) => source.read(position, lengthBytes) },
      media.mimeType,
    );
  } catch (error) {
    if (error instanceof UnsupportedMedia)
      throw new ServiceError(error.code, error.message, { cause: error });
    throw error;
  }
}
