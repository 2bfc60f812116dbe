/** Leases as rows: of all nodes, one does a thing at a time. */
import type { LeaseRecords } from '../../domain/ports/metadata.ts';
import type { Queries } from './schema.ts';

export function buildLeaseRecords(queries: Queries): LeaseRecords {
  return {
    acquire: async ({ name, holder, expiresAt }, now) => {
      const result = await queries
        .insertInto('leases')
        .values({ name, holder, expires_at: expiresAt })
        .onConflict(conflict =>
          conflict
            .column('name')
            .doUpdateSet({ holder, expires_at: expiresAt })
            .where(({ eb, or }) =>
              or([eb('leases.holder', '=', holder), eb('leases.expires_at', '<=', now)]),
            ),
        )
        .executeTakeFirst();
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    release: async (name, holder) => {
      await queries.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}
