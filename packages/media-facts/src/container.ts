/** The type of a media container: its signature, and a structure check that also returns facts. */

import type { ByteReader } from './byteReader.ts';
import type { MediaFormatName } from './mediaFormats.ts';

/** Pixels of the encoded picture after orientation; aspect ratios of single pixels are left to players. */
export type PictureSize = { readonly width: number; readonly height: number };

export type MediaFacts = {
  readonly format: MediaFormatName;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly durationSeconds?: number | undefined;
};

/** How files begin, within their first 16 bytes. Never leaves out what the structure check accepts. */
type Signature = {
  readonly offset: number;
  /** One of these stands there, one byte a letter. */
  readonly letters: readonly string[];
  /** Judges the first bytes where the letters alone say too little. */
  readonly judge: ((head: Buffer) => boolean) | null;
};

export type MediaContainer = {
  readonly signature: Signature;
  /** The facts of a file whose headers and first frame or block parse; nothing for any other file. */
  checkStructure(reader: ByteReader): Promise<MediaFacts | undefined>;
};

/** No recording of this size lasts longer: a duration past it is a lie or a broken header. */
const durationSecondsMax = 10 * 365 * 86_400;

/** A duration worth recording, in whole milliseconds. */
export function roundDuration(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !(seconds > 0) || seconds > durationSecondsMax) return undefined;
  return Math.round(seconds * 1000) / 1000 || undefined;
}
