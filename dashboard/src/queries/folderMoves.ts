/** Moves a folder: every file in it and below it, each by itself. Their URLs stay. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api.ts';
import { forEach, type Outcome } from './fileChanges.ts';
import { fileQuery, refreshFiles } from './files.ts';

const pageFiles = 100; // the most that the service tells at once

type FolderMove = {
  from: string;
  to: string;
  onProgress?: (done: number, total: number) => void;
};

export function useFolderMove(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ from, to, onProgress }: FolderMove): Promise<Outcome> => {
      const paths = await listPaths(project, from);
      const move = async (file: string) => {
        const inner = (paths.get(file) ?? from).slice(from.length);
        const body = { path: `${to}${inner}` };
        const { data } = await api.updateProjectFile({ params: { project, file }, body });
        queries.setQueryData(fileQuery(project, file).queryKey, data);
      };
      return forEach([...paths.keys()], move, done => onProgress?.(done, paths.size));
    },
    onSettled: () => refreshFiles(queries, project),
  });
}

/** The folder of each file, by its id. */
async function listPaths(project: string, path: string): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const query = { path, limit: pageFiles, cursor };
    const { data, pagination } = await api.listProjectFiles({ params: { project }, query });
    for (const file of data) paths.set(file.id, file.path);
    cursor = pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return paths;
}

/** Whether the one folder is the other, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`);
}
