/** Paints drawings with sharp. */
import sharp from 'sharp';
import type { PicturePainter } from '../../domain/ports/images.ts';

export function openSharpPainter(): PicturePainter {
  // Few colours in large areas: a palette makes a third of it, and nobody sees a difference.
  return { paint: svg => sharp(Buffer.from(svg)).png({ palette: true }).toBuffer() };
}
