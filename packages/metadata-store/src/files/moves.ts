/** Stores files whose bytes may have to move: one row each, claimed by the node that works on it. */

import { clockErrorMsMax } from '@tapedeck/domain/operations/leases';
import type { FileMoves } from '@tapedeck/domain/ports/fileMoves';
import { sql } from 'kysely';
import type { MetadataDatabase } from '../schema.ts';
import { fileMoves } from '../tables/files.ts';

export function buildFileMoves(database: MetadataDatabase): FileMoves {
  return {
    mark: async (fileId, now) => {
      await database.transactBatch(queries => [
        {
          query: queries
            .insertInto('file_moves')
            .values(fileMoves.compose({ fileId, secrets: [], marks: 1, claimedUntil: now }))
            .onConflict(conflict =>
              conflict.column('file_id').doUpdateSet({ marks: sql`file_moves.marks + 1` }),
            ),
        },
      ]);
    },
    claim: (fileId, now, until) =>
      database.transact(async queries => {
        const query = queries.selectFrom('file_moves').selectAll().where('file_id', '=', fileId);
        const row = await query.executeTakeFirst();
        if (row === undefined) return null;
        const claim = queries.updateTable('file_moves').set({ due_at: until });
        const free = claim
          .where('file_id', '=', fileId)
          .where(is => is.or([is('due_at', '<=', now), is('due_at', '>', until + clockErrorMsMax)]));
        const [claimed] = await free.execute();
        if (claimed?.numUpdatedRows !== 1n) return 'held';
        return { ...fileMoves.parse(row), claimedUntil: until };
      }),
    addPlace: (move, secret) =>
      database.transact(async queries => {
        const query = queries.selectFrom('file_moves').selectAll().where('file_id', '=', move.fileId);
        const row = await query.where('due_at', '=', move.claimedUntil).executeTakeFirst();
        if (row === undefined) return false;
        const secrets = JSON.stringify([...new Set([...fileMoves.parse(row).secrets, secret])]);
        await queries.updateTable('file_moves').set({ secrets }).where('file_id', '=', move.fileId).execute();
        return true;
      }),
    finish: (move, now) =>
      database.transact(async queries => {
        const removal = queries.deleteFrom('file_moves').where('file_id', '=', move.fileId);
        const [removed] = await removal
          .where('due_at', '=', move.claimedUntil)
          .where('marks', '=', move.marks)
          .execute();
        if (removed?.numDeletedRows === 1n) return true;
        const release = queries.updateTable('file_moves').set({ due_at: now });
        await release.where('file_id', '=', move.fileId).where('due_at', '=', move.claimedUntil).execute();
        return false;
      }),
    listDue: async (now, limit) => {
      const query = database.reading
        .selectFrom('file_moves')
        .select('file_id')
        .where(is => is.or([is('due_at', '<=', now), is('due_at', '>', now + 2 * clockErrorMsMax)]));
      return (await query.orderBy('due_at').limit(limit).execute()).map(row => row.file_id);
    },
  };
}
