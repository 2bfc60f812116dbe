/** Selects the rows for a partial restore. */
import type { ExportedRow } from '@tapedeck/metadata-database';
import { ServiceError } from '../../vocabulary.ts';

export type RowSelection = {
  /** null: all of them. */
  projects: readonly string[] | null;
  /** Without them nothing is known of files. */
  withFiles: boolean;
};

/** By what rows name those that they belong to, where that is not the project. */
const owners: Readonly<Record<string, { column: string; table: string; key: string }>> = {
  sdk_session_tokens: { column: 'session_id', table: 'sdk_sessions', key: 'id' },
  rule_watches: { column: 'rule', table: 'rules', key: 'id' },
};

/** Users, and what is the installation's own, always come; what belongs to a project comes with it. */
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

/** null: it belongs to none. */
function findProject({ table, row }: ExportedRow): string | null {
  if (table === 'projects') return String(row.slug);
  // As the record was when it was removed.
  if (table === 'file_removals') return (JSON.parse(String(row.file)) as { project: string }).project;
  return typeof row.project === 'string' ? row.project : null;
}
