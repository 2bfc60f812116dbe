/** Defines which files have which previews, and makes preview pictures. */
import { Readable } from 'node:stream';
import type { StoredFile } from '../ports/files.ts';
import type { PreviewKind, PreviewMaker } from '../ports/previews.ts';
import { NoPreview } from './variantRefusals.ts';

const sourceBytesMax = 512 * 1024 ** 2; // it is copied for decoding

type Subject = { name: string; types: readonly StoredFile['type'][]; owners: string };

const subjects: Readonly<Record<PreviewKind, Subject>> = {
  poster: { name: 'still picture', types: ['video'], owners: 'videos' },
  strip: { name: 'strip of stills', types: ['video'], owners: 'videos' },
  waveform: { name: 'waveform', types: ['audio', 'video'], owners: 'sounds and videos' },
};

/** The types' names, for messages. */
export const typeTitles: Readonly<Record<StoredFile['type'], string>> = {
  image: 'an image',
  video: 'a video',
  audio: 'a sound',
};

export function refusePreview(kind: PreviewKind, { type, sizeBytes, durationSeconds }: StoredFile): void {
  const { name, types, owners } = subjects[kind];
  if (!types.includes(type))
    throw new NoPreview(`Only ${owners} have a ${name}; this is ${typeTitles[type]}.`);
  if (sizeBytes > sourceBytesMax)
    throw new NoPreview(`Files above ${sourceBytesMax / 1024 ** 2} MiB have no ${name}.`);
  if (kind === 'strip' && durationSeconds === null)
    throw new NoPreview('The length of this video is unknown, so it has no strip of stills.');
}

export async function makePreview(
  previews: PreviewMaker,
  kind: PreviewKind,
  { file, source }: { file: StoredFile; source: Readable },
): Promise<Readable> {
  const { mimeType, durationSeconds, type } = file;
  const picture = await previews.make(source, { kind, mimeType, durationSeconds });
  if (picture === null)
    throw new NoPreview(
      `No ${subjects[kind].name} can be made of this ${type === 'audio' ? 'sound' : type}.`,
    );
  return Readable.from([picture]);
}
