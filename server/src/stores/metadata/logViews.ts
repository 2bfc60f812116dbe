/** Saved searches of logs as rows. */
import type { LogView, LogViewRecords } from '../../domain/ports/metadata.ts';
import { ServiceError } from '../../vocabulary.ts';
import type { LogViewRow, Queries } from './schema.ts';

export function buildLogViewRecords(queries: Queries): LogViewRecords {
  return {
    insert: async view => {
      const result = await queries
        .insertInto('log_views')
        .values(composeRow(view))
        .onConflict(conflict => conflict.columns(['project', 'name']).doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n) {
        throw new ServiceError('name_taken', 'There is a view of this name already; choose another.', {
          field: 'name',
        });
      }
    },
    replaceQuery: async (id, query) => {
      await queries.updateTable('log_views').set({ query }).where('id', '=', id).execute();
    },
    remove: async id => {
      const result = await queries.deleteFrom('log_views').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    find: async id => {
      const query = queries.selectFrom('log_views').selectAll().where('id', '=', id);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : parseView(row);
    },
    list: async project => {
      const query = queries.selectFrom('log_views').selectAll().where('project', '=', project);
      return (await query.orderBy('name').execute()).map(parseView);
    },
  };
}

function composeRow({ createdAt, createdBy, ...view }: LogView): LogViewRow {
  return { ...view, created_at: createdAt, created_by: createdBy };
}

function parseView({ created_at: createdAt, created_by: createdBy, ...view }: LogViewRow): LogView {
  return { ...view, createdAt, createdBy };
}
