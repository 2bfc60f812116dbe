/** Stores nodes as rows, and releases what dead nodes still hold. */
import type { NodeRecords } from '@tapedeck/domain/ports/nodes';
import type { Queries } from './schema.ts';
import { nodes } from './tables/operations.ts';

export function buildNodeRecords(queries: Queries): NodeRecords {
  return {
    put: async node => {
      await queries
        .insertInto('nodes')
        .values(nodes.compose(node))
        .onConflict(conflict => conflict.column('name').doUpdateSet(nodes.excluded))
        .execute();
    },
    list: async () =>
      (await queries.selectFrom('nodes').selectAll().orderBy('name').execute()).map(nodes.parse),
    remove: async name => {
      await queries.deleteFrom('nodes').where('name', '=', name).execute();
    },
    removeStopped: async before => {
      await queries
        .deleteFrom('nodes')
        .where('stopped_at', '<', before)
        .where('waiting_entries', '=', 0)
        .execute();
    },
    free: async ({ runId, journalId }) => {
      const leases = await queries
        .deleteFrom('leases')
        .where('holder', 'in', [runId, journalId])
        .executeTakeFirst();
      const claims = await queries
        .deleteFrom('key_claims')
        .where('node_id', '=', journalId)
        .where('trace_id', 'is', null)
        .executeTakeFirst();
      return { leases: Number(leases.numDeletedRows), claims: Number(claims.numDeletedRows) };
    },
  };
}
