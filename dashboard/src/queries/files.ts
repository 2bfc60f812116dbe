/** The files of a project: pages of them, newest first, one record, and their end. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { type Answer, ApiError, type Input } from '@tapedeck/client';
import { api } from '../api.ts';

export type FileRecord = Answer<'listProjectFiles'>['data'][number];
export type FileQuestion = NonNullable<Input<'listProjectFiles'>['query']>;

const pageFiles = 60; // fills a large screen

const filesKey = (project: string) => ['projects', project, 'files'];

export function filePagesQuery(project: string, question: FileQuestion) {
  return infiniteQueryOptions({
    queryKey: [...filesKey(project), question],
    // The first page begins nowhere; the type of the others cannot be read from that.
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...question, limit: pageFiles, cursor: pageParam };
      return api.listProjectFiles({ params: { project }, query }, { signal });
    },
    getNextPageParam: page => page.pagination.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function fileQuery(project: string, file: string) {
  return queryOptions({
    queryKey: ['projects', project, 'file', file],
    queryFn: async ({ signal }) => (await api.getProjectFile({ params: { project, file } }, { signal })).data,
  });
}

/** What is shown of the files is asked for anew. */
export function refreshFiles(queries: QueryClient, project: string): Promise<unknown> {
  return Promise.all([
    queries.invalidateQueries({ queryKey: filesKey(project) }),
    queries.invalidateQueries({ queryKey: ['projects', project, 'usage'] }),
  ]);
}

/** A URL through which somebody without a token uploads. */
export function useUploadLink(project: string) {
  return useMutation({
    mutationFn: async (query: { uses: number; expiresAt: number; path: string | undefined }) =>
      (await api.createProjectPresignedUrl({ params: { project }, query })).data.presignedUrl,
  });
}

const deletionsAtOnce = 4;

/** Answers how many are gone. What somebody else has deleted meanwhile is gone as well. */
export function useFilesDeletion(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (files: readonly string[]) => {
      const waiting = [...files];
      const work = async () => {
        for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
          await api.deleteProjectFile({ params: { project, file } }).catch(passIfGone);
      };
      await Promise.all(Array.from({ length: deletionsAtOnce }, work));
      return files.length;
    },
    onSettled: () => refreshFiles(queries, project),
  });
}

function passIfGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

export function useFileDeletion(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (file: string) => api.deleteProjectFile({ params: { project, file } }),
    // Not waited for: the page moves on to another file before it asks for the list.
    onSuccess: () => void refreshFiles(queries, project),
  });
}
