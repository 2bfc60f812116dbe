/** Nodes as rows, and what a dead node still holds. */
import type { NodeRecord, NodeRecords } from '../../domain/ports/nodes.ts';
import type { NodeRow, Queries } from './schema.ts';

export function buildNodeRecords(queries: Queries): NodeRecords {
  return {
    put: async node => {
      const { name, ...row } = composeRow(node);
      await queries
        .insertInto('nodes')
        .values({ name, ...row })
        .onConflict(conflict => conflict.column('name').doUpdateSet(row))
        .execute();
    },
    list: async () => (await queries.selectFrom('nodes').selectAll().orderBy('name').execute()).map(parseRow),
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

function composeRow(node: NodeRecord): NodeRow {
  return {
    name: node.name,
    version: node.version,
    run_id: node.runId,
    journal_id: node.journalId,
    started_at: node.startedAt,
    seen_at: node.seenAt,
    stopped_at: node.stoppedAt,
    waiting_entries: node.waitingEntries,
  };
}

function parseRow(row: NodeRow): NodeRecord {
  return {
    name: row.name,
    version: row.version,
    runId: row.run_id,
    journalId: row.journal_id,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    stoppedAt: row.stopped_at,
    waitingEntries: row.waiting_entries,
  };
}
