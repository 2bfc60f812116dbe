/** Stores the nodes that write to the bucket journal as rows: each one's lease, and how many of its notes were taken over. */

import type { NotedSegment, SegmentRegistry } from '@tapedeck/domain/ports/logs';
import { type BatchQuery, BatchRefused } from '@tapedeck/metadata-database';
import type { RawBuilder } from 'kysely';
import type { MetadataDatabase, Queries } from './schema.ts';
import { journalWriters, logSegments } from './tables/logs.ts';

type WriterRecords = Pick<
  SegmentRegistry,
  'openWriter' | 'holdWriter' | 'findWriter' | 'listWriters' | 'closeWriter' | 'registerNotes'
>;

const rowsAtOnce = 1_000; // eleven values each; a statement takes 32,000

export function buildJournalWriters(database: MetadataDatabase, clock: RawBuilder<number>): WriterRecords {
  const list = () => database.reading.selectFrom('journal_writers').selectAll();
  return {
    openWriter: async (id, until) => {
      const row = { id, leased_until: until, notes: 0 };
      await database.transactBatch(queries => [{ query: queries.insertInto('journal_writers').values(row) }]);
    },
    holdWriter: async ({ id, until, notes }) => {
      const [renewed, times] = await database.transactBatch(queries => [
        {
          query: queries
            .updateTable('journal_writers')
            .set({ leased_until: until })
            .where('id', '=', id)
            .where('notes', '=', notes),
        },
        { query: queries.selectNoFrom(clock.as('now')) },
      ]);
      const [{ now }] = times!.rows as [{ now: number }]; // the type of the selected row
      return { isHeld: (renewed?.numAffectedRows ?? 0n) > 0n, now };
    },
    findWriter: async id => {
      return journalWriters.parseFound(await list().where('id', '=', id).executeTakeFirst());
    },
    listWriters: async () => (await list().execute()).map(journalWriters.parse),
    closeWriter: async ({ id, notes, leasedUntil }) => {
      await database.transactBatch(queries => {
        const closed = queries.deleteFrom('journal_writers').where('id', '=', id).where('notes', '=', notes);
        return [{ query: leasedUntil === null ? closed : closed.where('leased_until', '=', leasedUntil) }];
      });
    },
    registerNotes: async ({ writer, from, to }, segments) => {
      try {
        await database.transactBatch(queries => [
          {
            query: queries
              .updateTable('journal_writers')
              .set({ notes: to })
              .where('id', '=', writer)
              .where('notes', '=', from),
            rowsMin: 1,
          },
          ...composeRows(queries, segments),
        ]);
        return true;
      } catch (error) {
        if (error instanceof BatchRefused) return false;
        throw error;
      }
    },
  };
}

/** Selects nodes whose lease has expired. */
export function composeSilent(queries: Queries, clock: RawBuilder<number>) {
  return queries.selectFrom('journal_writers').selectAll().where('leased_until', '<', clock);
}

/** Some rows may exist, because the node that wrote the note had registered them. */
function composeRows(queries: Queries, segments: readonly NotedSegment[]): BatchQuery[] {
  const rows = segments.map(segment => ({
    ...logSegments.compose({ ...segment, isWanted: false, import: null, importUntil: null }),
    state: 'waiting' as const,
    ended_at: null,
  }));
  const batches: BatchQuery[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce);
    const insertion = queries.insertInto('log_segments').values(some);
    batches.push({ query: insertion.onConflict(conflict => conflict.column('name').doNothing()) });
  }
  return batches;
}
