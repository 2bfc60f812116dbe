/** What the service and its scaling processes say to each other. */
import type { PictureForm } from '@tapedeck/domain/ports/images';

/** The form, pieces of the picture, then null. */
export type ScalerRequest = PictureForm | Uint8Array | null;

/** Pieces of the scaled picture, then how it ended. */
export type ScalerAnswer =
  | Uint8Array
  | { kind: 'scaled' }
  | { kind: 'failed'; message: string }
  | { kind: 'tooLong' }
  | { kind: 'tooMuchMemory' };

export const pieceBytes = 256 * 1024; // copied in less than a millisecond, so that other requests get their turn
