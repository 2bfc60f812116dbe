/** Files of log entries: those an entry mentions, and its subjects' files from the same minute. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import type { FileRecord } from './fileRecords.ts';
import { filesKey } from './files.ts';

const filesMax = 12; // the player's page shows more than fit beside an entry

/** Finds files by query. One page holds all that an entry can mention. */
export function namedFilesQuery(project: string, query: string) {
  return queryOptions({
    queryKey: [...filesKey(project), 'named', query],
    queryFn: async ({ signal }): Promise<FileRecord[]> =>
      (await api.listProjectFiles({ params: { project }, query: { query, limit: filesMax } }, { signal }))
        .data,
  });
}

export function momentFilesQuery(project: string, question: { query: string; from: string; to: string }) {
  return queryOptions({
    queryKey: [...filesKey(project), 'moment', question],
    queryFn: async ({ signal }): Promise<FileRecord[]> => {
      const query = { ...question, kind: 'file' as const, limit: filesMax };
      const { data } = await api.getTimeline({ params: { project }, query }, { signal });
      return data.flatMap(row => (row.kind === 'file' ? [row] : []));
    },
  });
}

const hostsFrom = 20; // number of files to read; private ones have no URL in a bucket

/** Lists hosts in the files' URLs: the service's public name, the project's domain, or a bucket. */
export function fileHostsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'fileHosts'],
    queryFn: async ({ signal }): Promise<string[]> => {
      const query = { limit: hostsFrom };
      const { data } = await api.listProjectFiles({ params: { project }, query }, { signal });
      const urls = data.flatMap(({ url, originalUrl }) => [url, originalUrl]);
      return [...new Set([window.location.host, ...urls.flatMap(url => URL.parse(url)?.host ?? [])])];
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
