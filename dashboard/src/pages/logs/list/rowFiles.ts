/** Finds the file to show in a row: the first one an entry mentions. Reads only its URL, so that rows send no requests. */
import { mediaFormats } from '@tapedeck/media-facts/formats';
import type { MentionedFile } from '../entry/mentionedFiles.ts';

export type RowFile = {
  path: string;
  type: 'image' | 'video' | 'audio';
  /** A small picture on this service; null for audio. */
  picture: string | null;
};

const pictureParameters = { image: 'w=320', video: 'poster&w=320', audio: null } as const;

/** Types by file extension, which the service chooses from the content. */
const endings: ReadonlyMap<string, RowFile['type']> = new Map(
  mediaFormats.map(({ extension, type }) => [extension, type]),
);

/** `hosts`: the hosts of the project's files. */
export function findRowFile(
  mentioned: readonly MentionedFile[],
  project: string,
  hosts: readonly string[],
): RowFile | null {
  for (const { url, key } of mentioned) {
    if (!hosts.includes(URL.parse(url)?.host ?? '')) continue;
    const type = endings.get(key.slice(key.lastIndexOf('.') + 1));
    if (type === undefined) continue;
    const path = `/media/${project}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const parameters = pictureParameters[type];
    return { path, type, picture: parameters && `${path}?${parameters}` };
  }
  return null;
}
