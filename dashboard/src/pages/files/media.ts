/** Builds URLs for a file's bytes on this service, whatever domain its public URL has. */
import { useQuery } from '@tanstack/react-query';
import { signatureQuery } from '../../queries/fileChanges.ts';
import type { FileRecord } from '../../queries/fileRecords.ts';

/** Widths of the scaled pictures that the service offers. */
type PictureWidth = 320 | 640 | 1280;

const shownWholeBytesMax = 2_000_000; // larger pictures are scaled down; users can open the original
const movingTypes = ['image/gif', 'image/apng', 'image/webp'];

export type MediaAddresses = {
  whole: string;
  download: string;
  picture: (width: PictureWidth) => string;
  /** For videos. */
  poster: (width: PictureWidth) => string;
  /** Four stills of a video side by side, 16:9 each. */
  strip: string;
  /** For audio. */
  waveform: (width: PictureWidth) => string;
  /** Animated pictures use the original, because scaled ones stand still. */
  view: string;
};

/** Returns null for files in the trash, and while a private file's signature is loading. */
export function useMediaAddresses(project: string, file: FileRecord): MediaAddresses | null {
  const isTrashed = file.deletedAt !== undefined;
  const isPrivate = file.visibility === 'private';
  const { data: signature } = useQuery({
    ...signatureQuery(project, file.id),
    enabled: isPrivate && !isTrashed,
  });
  if (isTrashed || (isPrivate && signature === undefined)) return null;
  return composeAddresses(project, file, isPrivate ? (signature ?? '') : '');
}

function composeAddresses(project: string, file: FileRecord, signature: string): MediaAddresses {
  const path = `/media/${project}/${file.key.split('/').map(encodeURIComponent).join('/')}`;
  const compose = (...parameters: string[]) => {
    const query = [...parameters, signature].filter(part => part !== '').join('&');
    return query === '' ? path : `${path}?${query}`;
  };
  const isWhole = file.size <= shownWholeBytesMax || movingTypes.includes(file.mimeType);
  return {
    whole: compose(),
    download: compose('download=1'),
    picture: width => compose(`w=${width}`),
    poster: width => compose('poster', `w=${width}`),
    strip: compose('strip', 'w=1280'),
    waveform: width => compose('waveform', `w=${width}`),
    view: isWhole ? compose() : compose('w=1280'),
  };
}
