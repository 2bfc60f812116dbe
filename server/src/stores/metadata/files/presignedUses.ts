/** Counts uses of presigned tokens: one row per token, updated by one statement, so that two uploads never share a use. */

import { BatchRefused } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { PresignedUses } from '../../../domain/ports/files.ts';
import type { MetadataDatabase } from '../schema.ts';

export function buildPresignedUses(database: MetadataDatabase): PresignedUses {
  return {
    claim: async ({ tokenId, usesMax, expiresAt }) => {
      try {
        await database.transactBatch(queries => [
          {
            query: queries
              .insertInto('presigned_uses')
              .values({ token_id: tokenId, uses: 0, expires_at: expiresAt })
              .onConflict(conflict => conflict.doNothing()),
          },
          {
            query: queries
              .updateTable('presigned_uses')
              .set({ uses: sql`uses + 1` })
              .where('token_id', '=', tokenId)
              .where('uses', '<', usesMax),
            rowsMin: 1,
          },
        ]);
        return true;
      } catch (error) {
        if (error instanceof BatchRefused) return false;
        throw error;
      }
    },
    giveBack: async tokenId => {
      await database.transactBatch(queries => [
        {
          query: queries
            .updateTable('presigned_uses')
            .set({ uses: sql`uses - 1` })
            .where('token_id', '=', tokenId)
            .where('uses', '>', 0),
        },
      ]);
    },
    count: async tokenId => {
      const query = database.reading
        .selectFrom('presigned_uses')
        .select('uses')
        .where('token_id', '=', tokenId);
      return (await query.executeTakeFirst())?.uses ?? 0;
    },
    forgetExpired: async now => {
      await database.transactBatch(queries => [
        { query: queries.deleteFrom('presigned_uses').where('expires_at', '<', now) },
      ]);
    },
  };
}
