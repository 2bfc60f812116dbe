/** A project's files: lists by page, single files, totals and upload links. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useQueryClient,
} from '@tanstack/react-query';
import type { Input } from '@tapedeck/client';
import { useEffect, useRef } from 'react';
import { api } from '../api.ts';
import { isOpen, type Upload } from '../uploads/uploadStates.ts';
import { useChange } from './useChange.ts';

export type FileQuestion = NonNullable<Input<'listProjectFiles'>['query']>;

const pageFiles = 100; // fills a large screen; the service's maximum

export const filesKey = (project: string) => ['projects', project, 'files'];

export function filePagesQuery(project: string, question: FileQuestion) {
  return infiniteQueryOptions({
    queryKey: [...filesKey(project), question],
    // The first page has no cursor, so its type would be undefined.
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

const filesFound = 6; // matches for a few typed letters

export function foundFilesQuery(project: string, q: string) {
  return queryOptions({
    queryKey: [...filesKey(project), 'found', q],
    queryFn: async ({ signal }) =>
      (await api.listProjectFiles({ params: { project }, query: { q, limit: filesFound } }, { signal })).data,
    placeholderData: keepPreviousData,
  });
}

/** Returns the newest file if it was created since then, else null. */
export function newestFileQuery(
  project: string,
  { path, since }: { path: string | undefined; since: string },
) {
  return queryOptions({
    queryKey: [...filesKey(project), 'newest', path, since],
    queryFn: async ({ signal }) => {
      const query = { path, limit: 1 };
      const [file = null] = (await api.listProjectFiles({ params: { project }, query }, { signal })).data;
      return file !== null && file.createdAt >= since ? file : null;
    },
  });
}

const filesSampled = 100; // one page, which has most fields and values

/** Loads the newest matches, to suggest their fields and values. */
export function sampledFilesQuery(project: string, query: string) {
  return queryOptions({
    queryKey: [...filesKey(project), 'sample', query],
    queryFn: async ({ signal }) =>
      (await api.listProjectFiles({ params: { project }, query: { query, limit: filesSampled } }, { signal }))
        .data,
    placeholderData: keepPreviousData,
    staleTime: 60_000, // suggestions may be a minute old
  });
}

export function fileTotalQuery(project: string) {
  return queryOptions({
    queryKey: [...filesKey(project), 'total'],
    queryFn: async ({ signal }) =>
      (await api.listProjectFiles({ params: { project }, query: { limit: 1 } }, { signal })).pagination.total,
  });
}

export function refreshFiles(queries: QueryClient, project: string): Promise<unknown> {
  return Promise.all([
    queries.invalidateQueries({ queryKey: filesKey(project) }),
    queries.invalidateQueries({ queryKey: ['projects', project, 'usage'] }),
  ]);
}

const refreshIntervalMs = 1_000;
const refreshIntervalMsMax = 10_000;

/**
 * Refreshes file lists after uploads: at once for the first, then in growing intervals while others still run, and soon after the last. Each refresh
 * loads new pictures, which slows down the uploads of thousands of small files.
 */
export function useRefreshAfterUploads(uploads: readonly Upload[]): void {
  const queries = useQueryClient();
  const last = useRef({ at: Number.NEGATIVE_INFINITY, intervalMs: refreshIntervalMs });
  const kept = uploads.filter(({ state }) => state.kind === 'kept');
  const areRunning = uploads.some(({ state }) => isOpen(state));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another kept file and the end are news
  useEffect(() => {
    if (kept.length === 0) return;
    if (!areRunning) last.current.intervalMs = refreshIntervalMs;
    const refresh = () => {
      const intervalMs = Math.min(last.current.intervalMs * 2, refreshIntervalMsMax);
      last.current = { at: performance.now(), intervalMs };
      for (const project of new Set(kept.map(upload => upload.project))) void refreshFiles(queries, project);
    };
    const timer = setTimeout(refresh, last.current.at + last.current.intervalMs - performance.now());
    return () => clearTimeout(timer);
  }, [kept.length, areRunning]);
}

/** The user's upload links, with what arrived through each. */
export function uploadLinksQuery(project: string) {
  return queryOptions({
    queryKey: [...filesKey(project), 'upload-links'],
    queryFn: async ({ signal }) =>
      (await api.listProjectUploadLinks({ params: { project } }, { signal })).data,
  });
}

/** Creates an upload link for people without a token. */
export function useUploadLink(project: string) {
  return useChange(
    async (query: { uses: number; expiresAt: number; path: string | undefined }) =>
      (await api.createProjectPresignedUrl({ params: { project }, query })).data.presignedUrl,
    uploadLinksQuery(project),
  );
}
