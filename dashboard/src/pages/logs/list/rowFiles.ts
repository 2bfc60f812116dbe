/** Finds the file to show in a line: the first whose URL the entry mentions. Reads only the URL, so that lines send no requests. */
import type { MentionedFile } from '../entry/mentionedFiles.ts';

export type RowFile = {
  path: string;
  type: 'image' | 'video' | 'audio';
  /** At the service itself, small; null: a sound has none. */
  picture: string | null;
};

const pictureParameters = { image: 'w=320', video: 'poster&w=320', audio: null } as const;

/** Types by file extension, which the service chooses by the content. */
const endings: Readonly<Record<string, RowFile['type']>> = {
  ...Object.fromEntries(['png', 'jpg', 'webp', 'gif'].map(ending => [ending, 'image'])),
  ...Object.fromEntries(['mp4', 'webm', 'mov', 'mkv', 'ogv', 'mpg'].map(ending => [ending, 'video'])),
  ...Object.fromEntries(['mp3', 'mp2', 'ogg', 'weba', 'wav'].map(ending => [ending, 'audio'])),
};

/** `hosts` are those of files of the project. */
export function findRowFile(
  mentioned: readonly MentionedFile[],
  project: string,
  hosts: readonly string[],
): RowFile | null {
  for (const { url, key } of mentioned) {
    if (!hosts.includes(URL.parse(url)?.host ?? '')) continue;
    const type = endings[key.slice(key.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const path = `/media/${project}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const parameters = pictureParameters[type];
    return { path, type, picture: parameters && `${path}?${parameters}` };
  }
  return null;
}
