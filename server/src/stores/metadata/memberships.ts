/** Roles of users in projects as rows. */
import type { Membership, MembershipRecords } from '../../domain/ports/metadata.ts';
import type { MembershipRow, Queries } from './schema.ts';

export function buildMembershipRecords(queries: Queries): MembershipRecords {
  return {
    put: async ({ userId, project, role }) => {
      await queries
        .insertInto('memberships')
        .values({ user_id: userId, project, role })
        .onConflict(conflict => conflict.columns(['user_id', 'project']).doUpdateSet({ role }))
        .execute();
    },
    remove: async (userId, project) => {
      const result = await queries
        .deleteFrom('memberships')
        .where('user_id', '=', userId)
        .where('project', '=', project)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    listOfUser: async userId => {
      const query = queries
        .selectFrom('memberships')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('project');
      return (await query.execute()).map(parseMembership);
    },
    listOfProject: async project => {
      const query = queries
        .selectFrom('memberships')
        .selectAll()
        .where('project', '=', project)
        .orderBy('user_id');
      return (await query.execute()).map(parseMembership);
    },
  };
}

function parseMembership(row: MembershipRow): Membership {
  return { userId: row.user_id, project: row.project, role: row.role };
}
