/** Stores leases as rows. One node at a time holds each. */
import type { LeaseRecords } from '@tapedeck/domain/ports/metadata';
import type { Queries } from './schema.ts';
import { leases } from './tables/operations.ts';

export function buildLeaseRecords(queries: Queries): LeaseRecords {
  return {
    acquire: async (lease, { now, heldUntilMax }) => {
      const row = leases.compose(lease);
      const result = await queries
        .insertInto('leases')
        .values(row)
        .onConflict(conflict =>
          conflict
            .column('name')
            .doUpdateSet(leases.excluded)
            .where(({ eb, or }) =>
              or([
                eb('leases.holder', '=', row.holder),
                eb('leases.expires_at', '<=', now),
                eb('leases.expires_at', '>', heldUntilMax),
              ]),
            ),
        )
        .executeTakeFirst();
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    find: async name => {
      const query = queries.selectFrom('leases').select(['holder', 'expires_at']).where('name', '=', name);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : { holder: row.holder, expiresAt: row.expires_at };
    },
    hand: async ({ name, holder, expiresAt }, former) => {
      await queries
        .updateTable('leases')
        .set({ holder, expires_at: expiresAt })
        .where('name', '=', name)
        .where('holder', '=', former)
        .execute();
    },
    release: async (name, holder) => {
      await queries.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}
