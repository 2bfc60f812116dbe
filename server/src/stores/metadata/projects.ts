/** Projects as rows. Slugs are never reused. */

import { type LibrarySettings, noLibrary } from '../../domain/files/librarySettings.ts';
import type { MediaRetention } from '../../domain/files/retention.ts';
import type { Project, ProjectRecords } from '../../domain/ports/metadata.ts';
import { noSubjects, type SubjectSettings } from '../../domain/subjects/kinds.ts';
import { ServiceError } from '../../vocabulary.ts';
import type { Revision } from './revision.ts';
import type { ProjectRow, Queries } from './schema.ts';

export function buildProjectRecords(queries: Queries, revision: Revision): ProjectRecords {
  return {
    insert: async project => {
      const result = await queries
        .insertInto('projects')
        .values({
          slug: project.slug,
          created_at: project.createdAt,
          ...composeRow(project, await revision.take()),
        })
        .onConflict(conflict => conflict.column('slug').doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n) {
        throw new ServiceError(
          'name_taken',
          `The project ${project.slug} exists or existed already: choose another name.`,
          { field: 'slug' },
        );
      }
    },
    update: async project => {
      await queries
        .updateTable('projects')
        .set(composeRow(project, await revision.take()))
        .where('slug', '=', project.slug)
        .execute();
    },
    find: async slug => {
      const row = await queries
        .selectFrom('projects')
        .selectAll()
        .where('slug', '=', slug)
        .executeTakeFirst();
      return row === undefined ? null : parseProject(row);
    },
    listDeleted: async () => {
      const query = queries.selectFrom('projects').selectAll().where('deleted_at', 'is not', null);
      return (await query.orderBy('slug').execute()).map(parseProject);
    },
    list: async () => {
      const rows = await queries
        .selectFrom('projects')
        .selectAll()
        .where('deleted_at', 'is', null)
        .orderBy('slug')
        .execute();
      return rows.map(parseProject);
    },
  };
}

export function parseProject(row: ProjectRow): Project {
  return {
    slug: row.slug,
    name: row.name,
    cdnDomain: row.cdn_domain,
    cdnEnabled: row.cdn_enabled === 1,
    // Both written by `composeRow` from the same types and by nothing else.
    retention: JSON.parse(row.retention) as MediaRetention,
    logRetention: JSON.parse(row.log_retention) as Project['logRetention'],
    bytesMax: row.bytes_max,
    filesMax: row.files_max,
    createdAt: row.created_at,
    deletedAt: row.deleted_at,
    ...parseLibrary(row.library),
  };
}

/** What the column `library` holds. */
type Settings = LibrarySettings & SubjectSettings;

const noSettings: Settings = { ...noLibrary, ...noSubjects };

function pickLibrary({ trashDays, visibility, stripLocation, subjects }: Settings): Settings {
  return { trashDays, visibility, stripLocation, subjects };
}

/** null: of a version that knew no such settings. */
function parseLibrary(text: string | null): Settings {
  if (text === null) return noSettings;
  // Written by `composeRow` from the same type and by nothing else; a later version may have added settings.
  return pickLibrary({ ...noSettings, ...(JSON.parse(text) as Partial<Settings>) });
}

/** Everything that may change. */
function composeRow(project: Project, revision: number): Omit<ProjectRow, 'slug' | 'created_at'> {
  return {
    name: project.name,
    cdn_domain: project.cdnDomain,
    cdn_enabled: project.cdnEnabled ? 1 : 0,
    retention: JSON.stringify(project.retention),
    log_retention: JSON.stringify(project.logRetention),
    bytes_max: project.bytesMax,
    files_max: project.filesMax,
    deleted_at: project.deletedAt,
    library: JSON.stringify(pickLibrary(project)),
    revision,
  };
}
