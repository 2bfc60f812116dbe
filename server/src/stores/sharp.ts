/**
 * Loads sharp when the first picture is made. With its native library it costs each start 80 ms of processor time and 22 MB, which a
 * service that only keeps logs saves, and which are little beside a picture.
 */
import type { default as Sharp } from 'sharp';

let loaded: Promise<typeof Sharp> | null = null;

export function loadSharp(): Promise<typeof Sharp> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false); // pictures are asked for once; what was made is kept as a blob
  sharp.concurrency(1); // uploads and queries keep the other cores
  return sharp;
}
