/** Builds the URL of a ZIP with all files of a search. */
import type { FileSearch } from '../search.ts';

/** Folders are a parameter, as in the list: no word of a query can say a name with blanks and all that is below it. */
export function addressOfArchive(project: string, { query, type, path }: FileSearch): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ query, type, path }))
    if (value !== undefined) parameters.set(name, value);
  return `/api/manage/projects/${encodeURIComponent(project)}/files/archive?${parameters}`;
}
