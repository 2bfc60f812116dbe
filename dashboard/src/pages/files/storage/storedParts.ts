/** Splits the bytes of a folder or project into subfolders, direct files and types. */
import { mediaTypes } from '@tapedeck/client';
import { type Folder, foldersShownMax } from '../../../queries/folders.ts';
import type { Storage } from '../../../queries/storage.ts';
import { typeNames } from '../typeNames.ts';
import type { StoredPart } from './Treemap.tsx';

/** The same colours as on Home. */
const typeFills = { image: '--series-1', video: '--series-4', audio: '--series-3' } as const;

type Amount = { files: number; bytes: number };

export function sumKinds({ kinds }: Storage): Amount {
  const all = mediaTypes.map(type => kinds[type]);
  return {
    files: all.reduce((total, { files }) => total + files, 0),
    bytes: all.reduce((total, { bytes }) => total + bytes, 0),
  };
}

export function listTypes({ kinds }: Storage): StoredPart[] {
  return mediaTypes
    .map(type => ({
      id: type,
      name: typeNames[type],
      ...kinds[type],
      fill: typeFills[type],
      search: { type },
    }))
    .filter(({ files }) => files > 0);
}

/** Lists the largest first. The rest is files directly in the folder, and folders beyond the listed ones. */
export function listFolderParts(path: string, whole: Amount, folders: readonly Folder[]): StoredPart[] {
  const below = folders.map(folder => ({
    id: `/${folder.path}`,
    name: folder.path.slice(path === '' ? 0 : path.length + 1),
    files: folder.files,
    bytes: folder.bytes,
    search: { path: folder.path },
  }));
  const files = whole.files - folders.reduce((total, folder) => total + folder.files, 0);
  const bytes = whole.bytes - folders.reduce((total, folder) => total + folder.bytes, 0);
  const isCut = folders.length >= foldersShownMax;
  const rest: StoredPart = {
    id: 'rest',
    name: isCut
      ? 'Other folders and files'
      : path === ''
        ? 'Files outside folders'
        : 'Directly in this folder',
    files,
    bytes: Math.max(0, bytes),
    // A query can find files outside all folders, but not files directly in a folder.
    search: !isCut && path === '' ? { query: '-path:*' } : null,
  };
  const parts: StoredPart[] = files > 0 ? [...below, rest] : below;
  return parts.sort((a, b) => b.bytes - a.bytes);
}
