/** Selects the rows for a partial restore. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { ExportedRow } from '@tapedeck/metadata-database';

export type RowSelection = {
  /** null for all projects. */
  projects: readonly string[] | null;
  /** Without files, there are no file records either. */
  withFiles: boolean;
};

/** For rows that name no project: the column that names the row they belong to. */
const owners: Readonly<Record<string, { column: string; table: string; key: string }>> = {
  sdk_session_tokens: { column: 'session_id', table: 'sdk_sessions', key: 'id' },
  rule_watches: { column: 'rule', table: 'rules', key: 'id' },
};

/** Keeps users and installation-wide rows always, and the other rows with their project. */
export async function* selectRows(
  rows: AsyncIterable<ExportedRow>,
  { projects, withFiles }: RowSelection,
): AsyncGenerator<ExportedRow> {
  const kept = new Map(Object.values(owners).map(({ table }) => [table, new Set<unknown>()]));
  const missing = new Set(projects);
  for await (const exported of rows) {
    const { table, row } = exported;
    if (!withFiles && isOfFiles(table)) continue;
    if (projects !== null && !belongs(exported, projects, kept)) continue;
    for (const owner of Object.values(owners))
      if (owner.table === table) kept.get(table)?.add(row[owner.key]);
    if (table === 'projects') missing.delete(String(row.slug));
    yield exported;
  }
  if (missing.size > 0)
    throw new ServiceError('not_found', `The backup holds no project ${[...missing].join(', ')}.`);
}

const tablesOfFiles: ReadonlySet<string> = new Set(['files', 'trashed_files', 'folder_moves']);

function isOfFiles(table: string): boolean {
  return tablesOfFiles.has(table) || table.startsWith('file_');
}

function belongs(
  { table, row }: ExportedRow,
  projects: readonly string[],
  kept: ReadonlyMap<string, ReadonlySet<unknown>>,
): boolean {
  const owner = owners[table];
  if (owner !== undefined) return kept.get(owner.table)?.has(row[owner.column]) === true;
  const project = findProject({ table, row });
  return project === null || projects.includes(project);
}

/** null if the row belongs to no project. */
function findProject({ table, row }: ExportedRow): string | null {
  if (table === 'projects') return String(row.slug);
  // A copy of the removed record.
  if (table === 'file_removals') return (JSON.parse(String(row.file)) as { project: string }).project;
  return typeof row.project === 'string' ? row.project : null;
}
