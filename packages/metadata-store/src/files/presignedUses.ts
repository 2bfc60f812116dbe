/**
 * Counts uses of presigned tokens: one row per token, updated by one statement, so that two uploads never share a use. One more row remembers
 * which counts were removed: its end is the latest of theirs.
 */

import type { PresignedUses } from '@tapedeck/domain/ports/files';
import { BatchRefused } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { MetadataDatabase, Queries } from '../schema.ts';

const forgotten = 'forgotten'; // no token has this id: theirs are longer

export function buildPresignedUses(database: MetadataDatabase): PresignedUses {
  return {
    claim: async use => {
      try {
        await database.transactBatch(queries => [
          { query: startCount(queries, use) },
          { query: takeUse(queries, use), rowsMin: 1 },
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
    findForgottenUntil: async () => {
      const query = database.reading
        .selectFrom('presigned_uses')
        .select('expires_at')
        .where('token_id', '=', forgotten);
      return (await query.executeTakeFirst())?.expires_at ?? null;
    },
    forgetExpired: async now => {
      await database.transactBatch(queries => [
        { query: markForgotten(queries, now) },
        { query: removeMarked(queries, now) },
      ]);
    },
  };
}

type Use = Parameters<PresignedUses['claim']>[0];

function startCount(queries: Queries, { tokenId, expiresAt }: Use) {
  return queries
    .insertInto('presigned_uses')
    .values({ token_id: tokenId, uses: 0, expires_at: expiresAt })
    .onConflict(conflict => conflict.doNothing());
}

function takeUse(queries: Queries, { tokenId, usesMax, expiresAt, forgottenUntil }: Use) {
  return queries
    .updateTable('presigned_uses')
    .set({ uses: sql`uses + 1` })
    .where('token_id', '=', tokenId)
    .where('uses', '<', usesMax)
    .where(({ exists, not, selectFrom }) => {
      const mark = selectFrom('presigned_uses as mark')
        .select('mark.token_id')
        .where('mark.token_id', '=', forgotten)
        .where('mark.expires_at', '>=', expiresAt)
        .where('mark.expires_at', '!=', forgottenUntil ?? -1);
      return not(exists(mark));
    });
}

/** Never lowers the mark. */
function markForgotten(queries: Queries, now: number) {
  return queries
    .insertInto('presigned_uses')
    .columns(['token_id', 'uses', 'expires_at'])
    .expression(eb =>
      eb
        .selectFrom('presigned_uses')
        .select(({ fn }) => [
          sql.lit(forgotten).as('token_id'),
          sql.lit(0).as('uses'),
          fn.max('expires_at').as('expires_at'),
        ])
        .where('expires_at', '<', now)
        .having(({ fn }) => fn.max('expires_at'), 'is not', null),
    )
    .onConflict(conflict =>
      conflict
        .column('token_id')
        .doUpdateSet({ expires_at: ({ ref }) => ref('excluded.expires_at') })
        .whereRef('excluded.expires_at', '>', 'presigned_uses.expires_at'),
    );
}

/** Removes nothing while the mark is in the future: tokens made meanwhile are told apart by the mark, which must not change before they expire. */
function removeMarked(queries: Queries, now: number) {
  return queries
    .deleteFrom('presigned_uses')
    .where('token_id', '!=', forgotten)
    .where('expires_at', '<=', ({ selectFrom }) =>
      selectFrom('presigned_uses as mark')
        .select('mark.expires_at')
        .where('mark.token_id', '=', forgotten)
        .where('mark.expires_at', '<', now),
    );
}
