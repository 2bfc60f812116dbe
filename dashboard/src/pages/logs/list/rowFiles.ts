/** Finds the file to show in a line: the first whose URL the entry mentions. Reads only the URL, so that lines send no requests. */
import { mediaFormats } from '@tapedeck/media-facts/formats';
import type { MentionedFile } from '../entry/mentionedFiles.ts';

export type RowFile = {
  path: string;
  type: 'image' | 'video' | 'audio';
  /** A small picture at the service itself; null for sounds, which have none. */
  picture: string | null;
};

const pictureParameters = { image: 'w=320', video: 'poster&w=320', audio: null } as const;

/** Types by file extension, which the service chooses by the content. */
const endings: ReadonlyMap<string, RowFile['type']> = new Map(
  mediaFormats.map(({ extension, type }) => [extension, type]),
);

/** `hosts` are those of files of the project. */
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
