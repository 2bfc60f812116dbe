/** Port to the image scaler. */
import type { Readable } from 'node:stream';

export interface ImageScaler {
  /**
   * A still WebP picture no wider than `width`, orientation applied, without any metadata. What cannot be decoded is
   * `image_undecodable`; more than `imagePixelsMax` of `domain/files/variants.ts` is `image_too_large`. Reads the source to its end or
   * destroys it.
   */
  scale(source: Readable, width: number): Promise<Buffer>;
}
