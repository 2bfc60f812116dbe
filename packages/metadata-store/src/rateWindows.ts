/** Stores each token's requests per minute as rows. Concurrent claims on a node share a transaction. */

import type { RateClaim, RateRequest, RateWindows } from '@tapedeck/concurrency/rate-budgets';
import {
  type BatchQuery,
  type Bind,
  gatherCalls,
  makeBatchTemplate,
  type RowOf,
} from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { MetadataDatabase, Queries } from './schema.ts';
import type { rateWindows } from './tables/access.ts';

type Claiming = RateRequest & { now: number };

const claimsAtOnceMax = 256; // a few milliseconds

export function buildRateWindows(database: MetadataDatabase): RateWindows {
  const template = makeBatchTemplate(composeClaim);
  const claim = gatherCalls<Claiming, RateClaim>({
    itemsMax: claimsAtOnceMax,
    nameOf: ({ tokenId }) => tokenId,
    answerAll: async items => {
      const results = await database.transactBatch(queries => items.flatMap(item => template(queries, item)));
      // Each item has two queries. The second reads the row of the first.
      return items.map((_, index) =>
        parseClaim(results[index * 2 + 1]?.rows[0] as RowOf<typeof rateWindows>),
      );
    },
  });
  return {
    claim: (request, now) => claim({ ...request, now }),
    giveBack: async ({ tokenId, startedAt, requests }) => {
      await database.transactBatch(queries => [
        {
          query: queries
            .updateTable('rate_windows')
            .set({ requests: sql`requests - ${requests}` })
            .where('token_id', '=', tokenId)
            .where('started_at', '=', startedAt),
        },
      ]);
    },
    removeEnded: async startedBefore => {
      await database.transactBatch(queries => [
        { query: queries.deleteFrom('rate_windows').where('started_at', '<', startedBefore) },
      ]);
    },
  };
}

/** The row stores what its last claim was granted, so that the next statement of the transaction can read it. */
function composeClaim(queries: Queries, bind: Bind<Claiming>): BatchQuery[] {
  const now = bind(claiming => claiming.now);
  const granted = bind(({ wanted, requestsMax }) => Math.min(wanted, requestsMax));
  const requestsMax = bind(claiming => claiming.requestsMax);
  const windowMs = bind(claiming => claiming.windowMs);
  const tokenId = bind(claiming => claiming.tokenId);
  const insertion = queries
    .insertInto('rate_windows')
    .values({ token_id: tokenId, started_at: now, requests: granted, granted });
  const hasEnded = sql`(rate_windows.started_at <= excluded.started_at - ${windowMs}
    or rate_windows.started_at > excluded.started_at + ${windowMs})`;
  const left = sql`(case when rate_windows.requests + excluded.granted <= ${requestsMax} then excluded.granted
    when rate_windows.requests >= ${requestsMax} then 0 else ${requestsMax} - rate_windows.requests end)`;
  return [
    {
      query: insertion.onConflict(conflict =>
        conflict.column('token_id').doUpdateSet({
          started_at: sql`case when ${hasEnded} then excluded.started_at else rate_windows.started_at end`,
          requests: sql`case when ${hasEnded} then excluded.granted else rate_windows.requests + ${left} end`,
          granted: sql`case when ${hasEnded} then excluded.granted else ${left} end`,
        }),
      ),
    },
    { query: queries.selectFrom('rate_windows').selectAll().where('token_id', '=', tokenId) },
  ];
}

function parseClaim({ started_at: startedAt, requests, granted }: RowOf<typeof rateWindows>): RateClaim {
  return { startedAt, requests, granted };
}
