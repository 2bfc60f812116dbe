/** A media container: its signature, and a structure check that also returns facts. */

import type { ByteReader } from './byteReader.ts';
import type { MediaFormatName } from './mediaFormats.ts';

/** Pixels of the encoded picture after orientation. Players apply pixel aspect ratios. */
export type PictureSize = { readonly width: number; readonly height: number };

export type MediaFacts = {
  readonly format: MediaFormatName;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly durationSeconds?: number | undefined;
};

/** How files begin, within their first 16 bytes. It matches every file that the structure check accepts. */
type Signature = {
  readonly offset: number;
  /** The file has one of these here, one byte per letter. */
  readonly letters: readonly string[];
  /** Checks the first bytes if the letters alone are too vague. */
  readonly matches: ((head: Buffer) => boolean) | null;
};

export type MediaContainer = {
  readonly signature: Signature;
  /** Returns facts if headers and the first frame or block parse, otherwise undefined. */
  checkStructure(reader: ByteReader): Promise<MediaFacts | undefined>;
};

/** No recording of this size lasts longer. A larger duration is a lie or a broken header. */
const durationSecondsMax = 10 * 365 * 86_400;

/** Rounds to whole milliseconds; undefined if implausible. */
export function roundDuration(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !(seconds > 0) || seconds > durationSecondsMax) return undefined;
  return Math.round(seconds * 1000) / 1000 || undefined;
}
