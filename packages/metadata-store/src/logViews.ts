/** Stores saved log views as rows. */
import type { LogViewRecords } from '@tapedeck/domain/ports/metadata';
import type { Queries } from './schema.ts';
import { logViews } from './tables/logs.ts';
import { deleteRow, refusingDuplicates } from './writeOutcomes.ts';

export function buildLogViewRecords(queries: Queries): LogViewRecords {
  return {
    insert: view =>
      refusingDuplicates('view', () =>
        queries.insertInto('log_views').values(logViews.compose(view)).execute(),
      ),
    update: ({ id, name, query }) =>
      refusingDuplicates('view', () =>
        queries.updateTable('log_views').set({ name, query }).where('id', '=', id).execute(),
      ),
    remove: id => deleteRow(queries.deleteFrom('log_views').where('id', '=', id)),
    find: async id => {
      const query = queries.selectFrom('log_views').selectAll().where('id', '=', id);
      return logViews.parseFound(await query.executeTakeFirst());
    },
    list: async project => {
      const query = queries.selectFrom('log_views').selectAll().where('project', '=', project);
      return (await query.orderBy('name').execute()).map(logViews.parse);
    },
  };
}
