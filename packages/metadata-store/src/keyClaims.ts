/** Stores claims on Idempotency-Keys as rows. Concurrent claims on a node share a transaction. */

import type { KeyClaim, KeyClaims, StoredClaim } from '@tapedeck/domain/ports/keyClaims';
import {
  type BatchQuery,
  type Bind,
  bindRow,
  gatherCalls,
  makeBatchTemplate,
  type RowOf,
} from '@tapedeck/metadata-database';
import type { MetadataDatabase, Queries } from './schema.ts';
import { keyClaims } from './tables/logs.ts';

type KeyClaimRow = RowOf<typeof keyClaims>;
type Claiming = { row: KeyClaimRow; now: number };
type Looking = { scopeHash: string; now: number };
type Attempt = { scopeHash: string; attemptId: string };
type Completing = Attempt & { stored: StoredClaim };
/** `stored` is null to free the key. */
type Settling = Attempt & { stored: StoredClaim | null };

const claimsAtOnceMax = 256; // a few milliseconds
const removedAtOnceMax = 5_000; // far below a transaction's limits

export function buildKeyClaims(database: MetadataDatabase): KeyClaims {
  const claim = gatherClaims(database);
  const find = gatherLooks(database);
  const settle = gatherSettlements(database);
  return {
    claim: async (wanted, now) => {
      for (;;) {
        const standing = await claim({ row: keyClaims.compose({ ...wanted, traceId: null }), now });
        if (standing !== null) return keyClaims.parse(standing);
        // Another claim held the key at first but was freed before this read, so try again.
      }
    },
    find: async (scopeHash, now) => {
      const row = await find({ scopeHash: scopeHash.toString('hex'), now });
      return row && keyClaims.parse(row);
    },
    complete: (claimed, stored) => settle(composeSettling(claimed, stored)),
    free: claimed => settle(composeSettling(claimed, null)),
    listUnresolved: async nodeId => {
      const unresolved = database.reading.selectFrom('key_claims').selectAll().where('trace_id', 'is', null);
      return (await unresolved.where('node_id', '=', nodeId).orderBy('scope_hash').execute()).map(
        keyClaims.parse,
      );
    },
    removeExpired: now => removeExpired(database, now),
  };
}

function gatherClaims(database: MetadataDatabase): (claiming: Claiming) => Promise<KeyClaimRow | null> {
  const template = makeBatchTemplate(composeClaim);
  return gatherCalls({
    itemsMax: claimsAtOnceMax,
    nameOf: ({ row }) => row.scope_hash,
    answerAll: async items => {
      const results = await database.transactBatch(queries => items.flatMap(item => template(queries, item)));
      // Each item has two queries. The second reads the row of the first.
      return items.map((_, index) => (results[index * 2 + 1]?.rows[0] as KeyClaimRow | undefined) ?? null);
    },
  });
}

/** Claims a key unless it is taken. Replaces a claim that has expired or that the same node left open. */
function composeClaim(queries: Queries, bind: Bind<Claiming>): BatchQuery[] {
  const now = bind(claiming => claiming.now);
  const row = bindRow<KeyClaimRow>(bind, keyClaims.columns);
  const insertion = queries.insertInto('key_claims').values(row);
  return [
    {
      query: insertion.onConflict(conflict =>
        conflict
          .column('scope_hash')
          .doUpdateSet(keyClaims.excluded)
          .where(({ eb, and, or, ref }) =>
            or([
              eb('key_claims.expires_at', '<=', now),
              and([
                eb('key_claims.node_id', '=', ref('excluded.node_id')),
                eb('key_claims.trace_id', 'is', null),
              ]),
            ]),
          ),
      ),
    },
    { query: queries.selectFrom('key_claims').selectAll().where('scope_hash', '=', row.scope_hash) },
  ];
}

function gatherLooks(database: MetadataDatabase): (looking: Looking) => Promise<KeyClaimRow | null> {
  return gatherCalls({
    itemsMax: claimsAtOnceMax,
    nameOf: ({ scopeHash }) => scopeHash,
    answerAll: async items => {
      const found = await database.readTogether(queries =>
        items.map(({ scopeHash, now }) => {
          const ofKey = queries.selectFrom('key_claims').selectAll().where('scope_hash', '=', scopeHash);
          return ofKey.where('expires_at', '>', now);
        }),
      );
      return found.map(([row]) => (row as KeyClaimRow | undefined) ?? null); // the query selects all columns
    },
  });
}

function gatherSettlements(database: MetadataDatabase): (settling: Settling) => Promise<void> {
  const completion = makeBatchTemplate(composeCompletion);
  const release = makeBatchTemplate(composeRelease);
  return gatherCalls({
    itemsMax: claimsAtOnceMax,
    nameOf: ({ scopeHash }) => scopeHash,
    answerAll: async items => {
      await database.transactBatch(queries =>
        items.flatMap(({ stored, ...attempt }) =>
          stored === null ? release(queries, attempt) : completion(queries, { ...attempt, stored }),
        ),
      );
      return items.map(() => undefined);
    },
  });
}

function composeCompletion(queries: Queries, bind: Bind<Completing>): BatchQuery[] {
  const scopeHash = bind(attempt => attempt.scopeHash);
  const attemptId = bind(attempt => attempt.attemptId);
  const ofKey = queries
    .updateTable('key_claims')
    .set({
      body_hash: bind(({ stored }) => stored.bodyHash.toString('hex')),
      trace_id: bind(({ stored }) => stored.traceId),
      expires_at: bind(({ stored }) => stored.expiresAt),
    })
    .where('scope_hash', '=', scopeHash);
  return [{ query: ofKey.where('attempt_id', '=', attemptId) }];
}

function composeRelease(queries: Queries, bind: Bind<Attempt>): BatchQuery[] {
  const scopeHash = bind(attempt => attempt.scopeHash);
  const attemptId = bind(attempt => attempt.attemptId);
  const ofKey = queries.deleteFrom('key_claims').where('scope_hash', '=', scopeHash);
  return [{ query: ofKey.where('attempt_id', '=', attemptId).where('trace_id', 'is', null) }];
}

/** Removes claims in chunks, so that no query waits for long. */
async function removeExpired(database: MetadataDatabase, now: number): Promise<void> {
  for (let removed = removedAtOnceMax; removed >= removedAtOnceMax; ) {
    const [result] = await database.transactBatch(queries => {
      const expired = queries.selectFrom('key_claims').select('scope_hash').where('expires_at', '<=', now);
      const part = expired.orderBy('expires_at').limit(removedAtOnceMax);
      const removal = queries.deleteFrom('key_claims').where('scope_hash', 'in', part);
      return [{ query: removal.where('expires_at', '<=', now) }]; // checked again: the key may have been claimed meanwhile
    });
    removed = Number(result?.numAffectedRows ?? 0n);
  }
}

function composeSettling({ scopeHash, attemptId }: KeyClaim, stored: StoredClaim | null): Settling {
  return { scopeHash: scopeHash.toString('hex'), attemptId, stored };
}
