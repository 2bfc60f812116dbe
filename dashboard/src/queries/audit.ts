/** Loads the audit log of a project or the installation, page by page, newest first. */

import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';

export type AuditEntry = Answer<'listAudit'>['entries'][number];

const pageEntries = 50;

/** `project` null means the whole installation. */
export function auditQuery(project: string | null) {
  return infiniteQueryOptions({
    queryKey: ['audit', project],
    // The first page has no cursor, so its type would be undefined.
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageEntries, before: pageParam };
      return project === null
        ? api.listAudit({ query }, { signal })
        : api.listProjectAudit({ params: { project }, query }, { signal });
    },
    getNextPageParam: page => page.nextBefore ?? undefined,
  });
}
