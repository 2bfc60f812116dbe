/** Builds the URL of a ZIP with all files of a search. */
import type { FileSearch } from '../search.ts';

/** Passes the folder as a parameter, as in the list: a query cannot name a folder with spaces and all its subfolders. */
export function addressOfArchive(project: string, { query, type, path }: FileSearch): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ query, type, path }))
    if (value !== undefined) parameters.set(name, value);
  return `/api/manage/projects/${encodeURIComponent(project)}/files/archive?${parameters}`;
}
