/** Where a ZIP of files is: all that a query finds. */
export function addressOfArchive(project: string, query: string): string {
  return `/api/manage/projects/${encodeURIComponent(project)}/files/archive?${new URLSearchParams({ query })}`;
}
