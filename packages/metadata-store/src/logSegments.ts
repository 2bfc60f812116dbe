/** Stores the segments in the bucket as rows. Keeps imported ones for a while, to recognize repeats. */

import { clockErrorMsMax } from '@tapedeck/domain/operations/leases';
import type {
  KeyRecord,
  NewSegment,
  RegistryLook,
  SegmentRegistry,
  WaitingSegment,
} from '@tapedeck/domain/ports/logs';
import { type BatchQuery, BatchRefused, type RowOf } from '@tapedeck/metadata-database';
import { type RawBuilder, sql } from 'kysely';
import { databaseClock } from './databaseClock.ts';
import { buildJournalWriters, composeSilent } from './journalWriters.ts';
import { buildLeaseRecords } from './leases.ts';
import type { MetadataDatabase, Queries } from './schema.ts';
import { journalWriters, logSegments } from './tables/logs.ts';

type Registered = Parameters<SegmentRegistry['register']>;

const keyLifeMs = 24 * 3_600_000; // CONTRACT.md, 4.1
const waitingStates = ['waiting', 'importing'] as const;
const nameLane = (shard: string) => `log import ${shard}`;

/** Resolves to the number of touched rows. */
type Change = (compose: (queries: Queries) => BatchQuery) => Promise<bigint>;

export function buildLogSegments(database: MetadataDatabase): SegmentRegistry {
  const clock = databaseClock[database.dialect];
  const change: Change = async compose => {
    const [result] = await database.transactBatch(queries => [compose(queries)]);
    return result?.numAffectedRows ?? 0n;
  };
  return {
    ...buildImports(change, clock),
    ...buildJournalWriters(database, clock),
    register: (segment, options) => register(database, clock, [segment, options]),
    look: async limit => await look(database, clock, limit),
    measure: async () => {
      await database.requireChanges(); // otherwise more may be waiting than this can count
      return await measure(database, clock);
    },
    want: async names => {
      await change(queries => ({
        query: queries
          .updateTable('log_segments')
          .set({ is_wanted: 1 })
          .where('name', 'in', names)
          .where('state', '=', 'waiting')
          .where('is_wanted', '=', 0),
      }));
    },
    release: buildRelease(database, change),
    setAside: async name => {
      await change(queries => ({
        query: queries
          .updateTable('log_segments')
          .set({ state: 'damaged', ended_at: null })
          .where('name', '=', name)
          .where('state', 'in', waitingStates),
      }));
    },
    listNeeded: async names => {
      const known = database.reading.selectFrom('log_segments').select('name').where('name', 'in', names);
      return (await known.where('state', '!=', 'done').execute()).map(({ name }) => name);
    },
    forgetEnded: async before => {
      await change(queries => ({ query: queries.deleteFrom('log_segments').where('ended_at', '<', before) }));
    },
    holdLane: (shard, holder, forMs) =>
      database.transact(async queries => {
        const { now } = await queries.selectNoFrom(clock.as('now')).executeTakeFirstOrThrow();
        const lease = { name: nameLane(shard), holder, expiresAt: now + forMs };
        return await buildLeaseRecords(queries).acquire(lease, {
          now,
          heldUntilMax: lease.expiresAt + clockErrorMsMax,
        });
      }),
    releaseLane: (shard, holder) =>
      database.transact(queries => buildLeaseRecords(queries).release(nameLane(shard), holder)),
    readClock: async () => {
      await database.requireChanges();
      return (await database.reading.selectNoFrom(clock.as('now')).executeTakeFirstOrThrow()).now;
    },
  };
}

function buildImports(
  change: Change,
  clock: RawBuilder<number>,
): Pick<SegmentRegistry, 'begin' | 'extend' | 'end'> {
  return {
    begin: async ({ name, shard, until }, names) => {
      const bound = { state: 'importing', import: name, import_until: until, shard } as const;
      return await isAll(
        change(queries => ({
          query: queries
            .updateTable('log_segments')
            .set(bound)
            .where('name', 'in', names)
            .where('state', '=', 'waiting'),
          rowsMin: names.length,
        })),
      );
    },
    extend: async ({ name, until }, next) => {
      const extended = await change(queries => ({
        query: queries
          .updateTable('log_segments')
          .set({ import_until: next })
          .where('import', '=', name)
          .where('import_until', '=', until)
          .where('state', '=', 'importing'),
      }));
      return extended > 0n;
    },
    end: async importName => {
      await change(queries => ({
        query: queries
          .updateTable('log_segments')
          .set({ state: 'done', ended_at: clock })
          .where('import', '=', importName)
          .where('state', '=', 'importing'),
      }));
    },
  };
}

function buildRelease(database: MetadataDatabase, change: Change): SegmentRegistry['release'] {
  return async ({ except, isDryRun }) => {
    const free = { state: 'waiting', import: null, import_until: null } as const;
    if (!isDryRun) {
      const released = await change(queries => ({
        query: queries
          .updateTable('log_segments')
          .set(free)
          .where('state', '=', 'importing')
          .where('shard', 'not in', except),
      }));
      return Number(released);
    }
    const bound = database.reading
      .selectFrom('log_segments')
      .select(({ fn }) => fn.countAll<number>().as('count'));
    const found = bound.where('state', '=', 'importing').where('shard', 'not in', except);
    return Number((await found.executeTakeFirstOrThrow()).count);
  };
}

async function isAll(changed: Promise<unknown>): Promise<boolean> {
  try {
    await changed;
    return true;
  } catch (error) {
    if (error instanceof BatchRefused) return false;
    throw error;
  }
}

/** A repeat finds the row of the first time, even if its entries were imported meanwhile. */
async function register(
  database: MetadataDatabase,
  clock: RawBuilder<number>,
  [segment, { until, keys }]: Registered,
): Promise<boolean> {
  try {
    const results = await database.transactBatch(queries => {
      const insertion = { query: composeInsertion(queries, clock, { ...segment, until }) };
      const found = queries.selectFrom('log_segments').select('name').where('name', '=', segment.name);
      if (keys.length === 0) return [insertion, { query: found }]; // in one round trip
      return [insertion, requireSegment(queries, segment), ...keys.map(key => composeKey(queries, key))];
    });
    if (keys.length > 0) return true;
    return (results.at(-1)?.rows.length ?? 0) > 0;
  } catch (error) {
    if (error instanceof BatchRefused) return false;
    throw error;
  }
}

/** Takes keys only if the segment is there. */
function requireSegment(queries: Queries, { name }: NewSegment): BatchQuery {
  const changed = queries.updateTable('log_segments').set(({ ref }) => ({ name: ref('name') }));
  return { query: changed.where('name', '=', name), rowsMin: 1 };
}

/** Refuses the whole segment if another attempt has taken the key since. */
function composeKey(queries: Queries, key: KeyRecord): BatchQuery {
  const ofKey = queries
    .updateTable('key_claims')
    .set({
      body_hash: key.bodyHash.toString('hex'),
      trace_id: key.traceId.toString('hex'),
      expires_at: key.storedAt + keyLifeMs,
    })
    .where('scope_hash', '=', key.scopeHash.toString('hex'));
  return { query: ofKey.where('attempt_id', '=', key.attemptId ?? ''), rowsMin: 1 };
}

function composeInsertion(
  queries: Queries,
  clock: RawBuilder<number>,
  { name, shard, rows, bytes, isSpread, until }: NewSegment & { until: number },
) {
  const text = (value: string) => sql<string>`cast(${value} as text)`;
  const integer = (value: number) => sql<number>`cast(${value} as bigint)`;
  return queries
    .insertInto('log_segments')
    .columns(['name', 'shard', 'entries', 'bytes', 'is_spread', 'is_wanted', 'state', 'registered_at'])
    .expression(
      queries
        .selectNoFrom([
          text(name).as('name'),
          text(shard).as('shard'),
          integer(rows).as('entries'),
          integer(bytes).as('bytes'),
          integer(isSpread ? 1 : 0).as('is_spread'),
          integer(0).as('is_wanted'),
          text('waiting').as('state'),
          clock.as('registered_at'),
        ])
        .where(clock, '<=', until),
    )
    .onConflict(conflict => conflict.column('name').doNothing());
}

async function look(
  database: MetadataDatabase,
  clock: RawBuilder<number>,
  limit: number,
): Promise<RegistryLook> {
  const [times, found, silent] = await database.readTogether(queries => [
    queries.selectNoFrom(clock.as('now')),
    queries
      .selectFrom('log_segments')
      .selectAll()
      .where('state', 'in', waitingStates)
      .orderBy('name')
      .limit(limit),
    composeSilent(queries, clock),
  ]);
  const [{ now }] = times as [{ now: number }]; // the type of the selected row
  return {
    now,
    segments: (found as RowOf<typeof logSegments>[]).map(parseSegment),
    silent: (silent as RowOf<typeof journalWriters>[]).map(journalWriters.parse),
  };
}

function parseSegment(row: RowOf<typeof logSegments>): WaitingSegment {
  const { import: name, importUntil, ...segment } = logSegments.parse(row);
  return { ...segment, import: name === null ? null : { name, until: importUntil ?? 0 } };
}

async function measure(
  database: MetadataDatabase,
  clock: RawBuilder<number>,
): ReturnType<SegmentRegistry['measure']> {
  const row = await database.reading
    .selectFrom('log_segments')
    .select(({ fn, selectFrom }) => [
      fn.countAll<number>().as('segments'),
      fn.sum<number | null>('entries').as('rows'),
      fn.sum<number | null>('bytes').as('bytes'),
      fn.min<number | null>('registered_at').as('oldest'),
      clock.as('now'),
      selectFrom('log_segments as others')
        .select(others => others.fn.countAll<number>().as('count'))
        .where('others.state', '=', 'damaged')
        .as('damaged'),
    ])
    .where('state', 'in', waitingStates)
    .executeTakeFirstOrThrow();
  return {
    segments: Number(row.segments),
    rows: Number(row.rows ?? 0),
    bytes: Number(row.bytes ?? 0),
    oldestMs: row.oldest === null ? null : Math.max(0, row.now - row.oldest),
    damaged: Number(row.damaged ?? 0),
  };
}
