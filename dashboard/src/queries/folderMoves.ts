/** Moves a folder with everything in it. The service continues even if this page closes. URLs stay. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '@tapedeck/client';
import { api } from '../api.ts';
import type { Outcome } from './fileChanges.ts';
import { filesKey, refreshFiles } from './files.ts';

type FolderMove = {
  from: string;
  to: string;
  onProgress?: (done: number, total: number) => void;
};

/** A move continues after a restart, so this page waits for the service. */
const awayStatuses = [0, 502, 503];
const awayMsMax = 60_000;
const pauseMs = 1_000;

export function useFolderMove(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ from, to, onProgress }: FolderMove): Promise<Outcome> => {
      let last: Outcome = { done: 0, failed: 0, reason: '' };
      let heardAt: number | null = null;
      for (;;) {
        try {
          const { data } = await api.moveProjectFolder({ params: { project }, body: { from, to } });
          last = { done: data.moved, failed: data.failed, reason: data.reason ?? '' };
          onProgress?.(data.moved, data.total);
          if (data.isOver) return last;
          heardAt = performance.now();
        } catch (error) {
          if (heardAt === null || !(error instanceof ApiError)) throw error;
          if (error.status === 404) return last; // the move ended between two requests
          if (!awayStatuses.includes(error.status) || performance.now() - heardAt > awayMsMax) throw error;
          await new Promise(resolve => setTimeout(resolve, pauseMs));
        }
      }
    },
    onSettled: () => {
      // Cached records still have the old folder.
      void queries.invalidateQueries({ queryKey: filesKey(project) });
      return refreshFiles(queries, project);
    },
  });
}

/** True if the path is the folder or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`);
}
