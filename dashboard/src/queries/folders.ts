/** The folders of a project: one level at a time, with exact counts of all below. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { filesKey } from './files.ts';

export type Folder = Answer<'listProjectFolders'>['data'][number];

/** The most folders that the service lists in one level; typing the first letters of a name narrows them. */
export const foldersShownMax = 100;

/** The folders right below one whose names begin so. */
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

/** One folder, with what is in it and below it; a folder without files has nothing. */
export function folderQuery(project: string, path: string) {
  const slash = path.lastIndexOf('/');
  return queryOptions({
    queryKey: [...filesKey(project), 'folder', path],
    queryFn: async ({ signal }): Promise<Folder> => {
      // By its name alone: others that begin so come behind it.
      const query = { path: path.slice(0, Math.max(0, slash)), prefix: path.slice(slash + 1), limit: 1 };
      const [folder] = (await api.listProjectFolders({ params: { project }, query }, { signal })).data;
      return folder?.path === path ? folder : { path, files: 0, bytes: 0 };
    },
  });
}
