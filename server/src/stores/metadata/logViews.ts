/** Stores saved log views as rows. */
import { ConstraintViolation } from '@tapedeck/metadata-database';
import type { LogViewRecords } from '../../domain/ports/metadata.ts';
import { ServiceError } from '../../vocabulary.ts';
import type { Queries } from './schema.ts';
import { logViews } from './tables/logs.ts';

export function buildLogViewRecords(queries: Queries): LogViewRecords {
  return {
    insert: async view => {
      const result = await queries
        .insertInto('log_views')
        .values(logViews.compose(view))
        .onConflict(conflict => conflict.columns(['project', 'name']).doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n) throw duplicateError();
    },
    update: async ({ id, name, query }) => {
      try {
        await queries.updateTable('log_views').set({ name, query }).where('id', '=', id).execute();
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'unique') throw duplicateError();
        throw error;
      }
    },
    remove: async id => {
      const result = await queries.deleteFrom('log_views').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
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

function duplicateError(): ServiceError {
  return new ServiceError('name_taken', 'A view with this name already exists. Choose another.', {
    field: 'name',
  });
}
