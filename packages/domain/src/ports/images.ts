/** Port to the image scaler. */
import type { Readable } from 'node:stream';

export const imagePixelsMax = 50_000_000; // CONTRACT.md, 3

export type PictureFormat = 'webp' | 'avif' | 'jpeg';

/** A box in pixels. `inside`: fits within the box; `cover`: fills it and is cropped; `contain`: fills it, with borders. */
export type PictureForm = {
  width: number;
  height: number;
  fit: 'inside' | 'cover' | 'contain';
  format: PictureFormat;
  /** The result may have so many pixels that compressing it well would take too much time and memory. */
  isLarge: boolean;
};

export interface ImageScaler {
  /**
   * Makes a still picture of this form, with orientation applied and metadata removed. `inside` never enlarges. Fails with
   * `image_undecodable`, also when decoding takes too long, or with `image_too_large` beyond `imagePixelsMax` or when it takes too much memory. Reads the source to its end
   * or destroys it.
   */
  scale(source: Readable, form: PictureForm): Promise<Buffer>;
}
