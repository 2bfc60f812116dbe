/** Stores projects as rows. Slugs are never reused. */

import { type LibrarySettings, noLibrary } from '@tapedeck/domain/files/librarySettings';
import type { Project, ProjectRecords } from '@tapedeck/domain/ports/metadata';
import { noSubjects, type SubjectSettings } from '@tapedeck/domain/subjects/kinds';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { RowOf } from '@tapedeck/metadata-database';
import type { Revision } from './revision.ts';
import type { Queries } from './schema.ts';
import { projects } from './tables/access.ts';

export function buildProjectRecords(queries: Queries, revision: Revision): ProjectRecords {
  return {
    insert: async project => {
      const result = await queries
        .insertInto('projects')
        .values(composeRow(project, await revision.claim()))
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
      const { slug, created_at: _created, ...changes } = composeRow(project, await revision.claim());
      await queries.updateTable('projects').set(changes).where('slug', '=', slug).execute();
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

/** The settings in the column `library`. */
type Settings = LibrarySettings & SubjectSettings;

const noSettings: Settings = { ...noLibrary, ...noSubjects };

function pickLibrary({ trashDays, visibility, stripLocation, subjects }: Settings): Settings {
  return { trashDays, visibility, stripLocation, subjects };
}

export function parseProject(row: RowOf<typeof projects>): Project {
  const { library, ...project } = projects.parse(row);
  // A later version may have added settings.
  return { ...project, ...(library === null ? noSettings : pickLibrary({ ...noSettings, ...library })) };
}

function composeRow(project: Project, revision: number): RowOf<typeof projects> {
  return { ...projects.compose({ ...project, library: pickLibrary(project) }), revision };
}
