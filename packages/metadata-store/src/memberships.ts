/** Stores roles of users in projects as rows. */
import type { MembershipRecords } from '@tapedeck/domain/ports/metadata';
import type { Queries } from './schema.ts';
import { memberships } from './tables/people.ts';
import { deleteRow } from './writeOutcomes.ts';

export function buildMembershipRecords(queries: Queries): MembershipRecords {
  return {
    put: async membership => {
      await queries
        .insertInto('memberships')
        .values(memberships.compose(membership))
        .onConflict(conflict => conflict.columns(['user_id', 'project']).doUpdateSet(memberships.excluded))
        .execute();
    },
    remove: (userId, project) =>
      deleteRow(
        queries.deleteFrom('memberships').where('user_id', '=', userId).where('project', '=', project),
      ),
    listOfUser: async userId => {
      const query = queries
        .selectFrom('memberships')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('project');
      return (await query.execute()).map(memberships.parse);
    },
    listOfProject: async project => {
      const query = queries
        .selectFrom('memberships')
        .selectAll()
        .where('project', '=', project)
        .orderBy('user_id');
      return (await query.execute()).map(memberships.parse);
    },
  };
}
