/** A project's folders, one level at a time, with exact counts of everything below. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { filesKey } from './files.ts';

export type Folder = Answer<'listProjectFolders'>['data'][number];

/** The service's maximum per level; typing the start of a name narrows them. */
export const foldersShownMax = 100;

/** Lists a folder's direct subfolders that start with the prefix. */
export function foldersQuery(project: string, place: { path: string; prefix: string }) {
  return queryOptions({
    queryKey: [...filesKey(project), 'folders', place],
    queryFn: async ({ signal }) => {
      const query = { ...place, limit: foldersShownMax };
      return (await api.listProjectFolders({ params: { project }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
  });
}

/** Returns a folder with its counts, which are 0 without files. */
export function folderQuery(project: string, path: string) {
  const slash = path.lastIndexOf('/');
  return queryOptions({
    queryKey: [...filesKey(project), 'folder', path],
    queryFn: async ({ signal }): Promise<Folder> => {
      // The folder itself comes first, before others that start with its name.
      const query = { path: path.slice(0, Math.max(0, slash)), prefix: path.slice(slash + 1), limit: 1 };
      const [folder] = (await api.listProjectFolders({ params: { project }, query }, { signal })).data;
      return folder?.path === path ? folder : { path, files: 0, bytes: 0 };
    },
  });
}
