/** Where the bytes of a file are for this page: at the service itself, whatever domain its public URL has. */
import type { FileRecord } from '../../queries/fileRecords.ts';

/** The widths of smaller pictures that the service makes. */
type PictureWidth = 320 | 640 | 1280;

const shownWholeBytesMax = 2_000_000; // larger pictures are shown smaller; they can be opened whole
const movingTypes = ['image/gif', 'image/apng', 'image/webp'];

export function addressOfMedia(project: string, { key }: FileRecord): string {
  return `/media/${project}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

export function addressOfDownload(project: string, file: FileRecord): string {
  return `${addressOfMedia(project, file)}?download=1`;
}

export function addressOfPicture(project: string, file: FileRecord, width: PictureWidth): string {
  return `${addressOfMedia(project, file)}?w=${width}`;
}

/** Smaller pictures stand still, so that those which may move are shown as they are. */
export function addressOfView(project: string, file: FileRecord): string {
  const isWhole = file.size <= shownWholeBytesMax || movingTypes.includes(file.mimeType);
  return isWhole ? addressOfMedia(project, file) : addressOfPicture(project, file, 1280);
}
