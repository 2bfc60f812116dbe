/** The folders of a project: one level at a time, with exact counts of all below. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { filesKey } from './files.ts';

export type Folder = Answer<'listProjectFolders'>['data'][number];

/** As many as the service tells of one level; letters that names begin with narrow them. */
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
