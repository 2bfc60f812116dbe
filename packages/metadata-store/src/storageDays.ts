/** Stores projects' daily storage as rows. */
import type { StorageDays } from '@tapedeck/domain/ports/storageDays';
import type { Queries } from './schema.ts';

export function buildStorageDays(queries: Queries): StorageDays {
  return {
    note: async day => {
      await queries
        .insertInto('storage_days')
        .values(day)
        .onConflict(conflict => conflict.columns(['project', 'day']).doNothing())
        .execute();
    },
    list: async ({ project, fromDay }) => {
      const query = queries.selectFrom('storage_days').selectAll().where('day', '>=', fromDay);
      const narrowed = project === null ? query : query.where('project', '=', project);
      return await narrowed.orderBy('day').orderBy('project').execute();
    },
    removeBefore: async day => {
      await queries.deleteFrom('storage_days').where('day', '<', day).execute();
    },
  };
}
