/** Port to the image scaler. */
import type { Readable } from 'node:stream';

export type PictureFormat = 'webp' | 'avif' | 'jpeg';

/** A box in pixels. `inside`: no side is longer than the box; `cover`: fills it, cut; `contain`: fills it, with borders. */
export type PictureForm = {
  width: number;
  height: number;
  fit: 'inside' | 'cover' | 'contain';
  format: PictureFormat;
};

export interface ImageScaler {
  /**
   * A still picture in this form, orientation applied, without any metadata; `inside` enlarges nothing. What cannot be decoded is
   * `image_undecodable`; more than `imagePixelsMax` of `domain/files/variants.ts` is `image_too_large`. Reads the source to its end or
   * destroys it.
   */
  scale(source: Readable, form: PictureForm): Promise<Buffer>;
}
