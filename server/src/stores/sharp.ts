/**
 * Loads sharp with the first picture. Its native library costs a start 80 ms of processor time and 22 MB. A service that only keeps logs
 * saves that, and it is little compared to a picture.
 */
import type { default as Sharp } from 'sharp';

let loaded: Promise<typeof Sharp> | null = null;

export function loadSharp(): Promise<typeof Sharp> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false); // each picture is made once and then kept as a blob
  sharp.concurrency(1); // uploads and queries keep the other cores
  return sharp;
}
