/** Identifies a file by its signature and structure, never by what a client declares. */

import { type ByteSource, openByteReader } from './byteReader.ts';
import { containers } from './containers.ts';
import { type MediaType, mediaFormats } from './mediaFormats.ts';
import { describeBeginning, describeMisfit } from './refusedFiles.ts';
import { refuseMedia } from './unsupportedMedia.ts';

export { findLocations } from './locations/locations.ts';
export type { BytePatch } from './locations/patches.ts';
export { findFormat, type MediaType, mediaFormats } from './mediaFormats.ts';
export { simplifyMetadata } from './metadataSimplification.ts';
export { UnsupportedMedia } from './unsupportedMedia.ts';

export type IdentifiedMedia = {
  readonly type: MediaType;
  readonly mimeType: string;
  /** Without the dot. */
  readonly extension: string;
  /** After orientation. Width, height and duration are absent if the container doesn't tell them. */
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
};

/** No signature needs more bytes of a file. */
export const signatureBytesMax = 16;

/**
 * Returns the types that a file with these first bytes can have. Refuses bytes that begin no format, so that an upload need not be read
 * to its end. Takes 16 bytes, or the whole of a shorter file.
 */
export function sniffMedia(head: Uint8Array): readonly MediaType[] {
  const types = findCandidates(head).map(({ format }) => format.type);
  if (types.length === 0) throw refuseMedia(describeBeginning(head));
  return [...new Set(types)];
}

/** Identifies a file from its bytes. Refuses all formats that aren't accepted. */
export async function identifyMedia(source: ByteSource): Promise<IdentifiedMedia> {
  const reader = openByteReader(source);
  const head = await reader.readBytesUpTo(0, signatureBytesMax);
  const candidates = findCandidates(head);
  if (candidates.length === 0) throw refuseMedia(describeBeginning(head));
  // Signatures exclude each other, so at most one container matches.
  const facts = await candidates[0]?.container.checkStructure(reader);
  const format = facts && candidates.find(({ format }) => format.name === facts.format)?.format;
  if (!format) throw refuseMedia(describeMisfit(candidates.map(({ format }) => format)));
  const { type, mimeType, extension } = format;
  return {
    type,
    mimeType,
    extension,
    ...(facts.width && facts.height ? { width: facts.width, height: facts.height } : {}),
    ...(facts.durationSeconds === undefined ? {} : { durationSeconds: facts.durationSeconds }),
  };
}

/** Finds the formats that begin like these bytes, each with its container. */
function findCandidates(bytes: Uint8Array) {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, signatureBytesMax));
  const letters = head.toString('latin1');
  return mediaFormats.flatMap(format => {
    const container = containers[format.name].find(({ signature: { offset, letters: known, matches } }) => {
      const begins = known.some(each => letters.startsWith(each, offset));
      return begins && (matches === null || matches(head));
    });
    return container === undefined ? [] : [{ format, container }];
  });
}
