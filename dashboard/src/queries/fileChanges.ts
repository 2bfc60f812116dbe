/** Changes files: edits, moves to trash, restores, deletes, links. Each of several files succeeds or fails by itself. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, type Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { fileQuery, refreshFiles } from './files.ts';
import { forgetFiles } from './uploads.ts';

export type FileEdits = Input<'updateProjectFile'>['body'];

/** How many succeeded or failed, and the first failure's reason. */
export type Outcome = { done: number; failed: number; reason: string };

const requestsAtOnce = 4;

async function forEach(
  ids: readonly string[],
  work: (id: string) => Promise<unknown>,
  onDone: (done: number) => void,
): Promise<Outcome> {
  const waiting = [...ids];
  const outcome: Outcome = { done: 0, failed: 0, reason: '' };
  const run = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await work(id);
        onDone(++outcome.done);
      } catch (error) {
        // The session ended, so all others would fail too.
        if (error instanceof ApiError && error.status === 401) throw error;
        outcome.failed += 1;
        outcome.reason ||= error instanceof Error ? error.message : String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, run));
  return outcome;
}

function useEach<Asked extends { ids: readonly string[] }>(
  project: string,
  work: (id: string, asked: Asked) => Promise<unknown>,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ onDone, ...asked }: Asked & { onDone?: (done: number) => void }) => {
      // The rest is what `work` expects.
      const given = asked as unknown as Asked;
      return forEach(given.ids, id => work(id, given), onDone ?? (() => undefined));
    },
    onSettled: () => refreshFiles(queries, project),
  });
}

export function useFileEdits(project: string) {
  const queries = useQueryClient();
  return useEach(project, async (file, { edits }: { ids: readonly string[]; edits: FileEdits }) => {
    const { data } = await api.updateProjectFile({ params: { project, file }, body: edits });
    queries.setQueryData(fileQuery(project, file).queryKey, data);
  });
}

/** Deletes files, or moves them to the trash if there is one. Counts files that others deleted meanwhile as deleted. */
export function useFilesDeletion(project: string) {
  const queries = useQueryClient();
  return useEach(project, async (file, { isForever }: { ids: readonly string[]; isForever: boolean }) => {
    const query = isForever ? { trash: 'false' } : {};
    await api.deleteProjectFile({ params: { project, file }, query }).catch(ignoreGone);
    forgetFiles([file]);
    // Removed rather than refreshed, which would show an error in an open viewer.
    queries.removeQueries({ queryKey: fileQuery(project, file).queryKey, exact: true });
  });
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

export function useFilesRestoring(project: string) {
  return useEach(project, (file, _: { ids: readonly string[] }) =>
    api.restoreProjectFile({ params: { project, file } }),
  );
}

/** Creates a link to a private file, valid for `expiresIn` seconds. */
export function useFileLink(project: string) {
  return useMutation({
    mutationFn: async ({ file, expiresIn }: { file: string; expiresIn: number }) =>
      (await api.linkProjectFile({ params: { project, file }, body: { expiresIn } })).data,
  });
}

const viewSeconds = 3600; // longer than users view a page

/** Gets a signature to show a private file on the page. */
export function signatureQuery(project: string, file: string) {
  return queryOptions({
    queryKey: ['projects', project, 'signature', file],
    queryFn: async ({ signal }) => {
      const body = { expiresIn: viewSeconds };
      const { data } = await api.linkProjectFile({ params: { project, file }, body }, { signal });
      return new URL(data.url).search.slice(1);
    },
    staleTime: (viewSeconds * 1000) / 2,
    gcTime: (viewSeconds * 1000) / 2,
  });
}
