/**
 * Copies the entries of one store to another, on any number of servers, while the first still receives entries. It
 * looks up what the copy already holds, span by span. So a copy that was interrupted continues, and surplus entries are
 * removed from it.
 */

import { LogStoreFailure } from '../../failures.ts';
import { closeArrivals } from '../../queries/arrivals.ts';
import { queryRows, runCommand } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { carryEntries } from '../backup/transfer.ts';
import { createLogRemovals } from '../removals/removals.ts';
import { countSpans, digestSpan, divideSpan, foreverMicros, formatSpan, type Span } from './windows.ts';

type Shards = readonly EngineAccess[];

/** Progress of a pass. `bytes` are counted in compressed form, as transferred. */
type LogCopyProgress = { entries: number; entriesAll: number; bytes: number };

export type LogCopyPass = LogCopyProgress & { removed: number };

type Settled = Span & { entries: number };

const spansPerRemoval = 100; // each statement renames all parts
const attemptsMax = 2; // per pass: a span whose entries were deleted while it was read is read again

export class LogCopy {
  readonly #to: Shards;
  /** Borders of the spans so far. */
  readonly #borders: number[] = [0];
  #until = 0;
  /** The number of entries in a span when both sides were last equal, by the span's beginning. */
  readonly #equal = new Map<number, number>();

  constructor(to: Shards) {
    this.#to = to;
  }

  /**
   * Copies what has arrived by now. With `isLast`, when nothing arrives any more, copies everything, and rejects unless both
   * sides are equal in the end. `from` may be another engine each time, as after a restart.
   */
  async pass(
    from: Shards,
    { isLast }: { isLast: boolean },
    onProgress: (progress: LogCopyProgress) => void,
  ): Promise<LogCopyPass> {
    // Inserts of an earlier copy may still be on their way.
    await Promise.all(this.#to.map(closeArrivals));
    const until = isLast ? foreverMicros : Math.min(...(await Promise.all(from.map(closeArrivals))));
    const removed = await this.#removeGoneDatasets(from, until);
    if (until > this.#until) {
      if (this.#until > 0) this.#borders.push(this.#until);
      this.#borders.push(...(await divideSpan(from, { from: this.#until, to: until })));
      this.#until = until;
    }
    const done: LogCopyPass = { entries: 0, entriesAll: 0, bytes: 0, removed };
    for (let attempt = 1; ; attempt++) {
      const stale = await this.#findStale(from);
      if (stale.length === 0) break;
      done.entriesAll = done.entries + stale.reduce((sum, { entries }) => sum + entries, 0);
      onProgress(done);
      if (attempt > attemptsMax) {
        if (isLast) throw describeDifference(stale[0]!);
        break; // entries were deleted in between; the next pass handles them
      }
      await this.#clear(stale.filter(({ isFilled }) => isFilled));
      for (const span of stale) {
        await this.#carry(from, span, bytes => {
          done.bytes += bytes;
          onProgress(done);
        });
        done.entries += span.entries;
        onProgress(done);
      }
    }
    return done;
  }

  /** Finds the spans that differ. For spans once found equal it compares only counts, because nothing arrives there any more. */
  async #findStale(from: Shards): Promise<(Settled & { isFilled: boolean })[]> {
    const borders = this.#borders;
    const until = this.#until;
    const counts = await countSpans(from, borders, until);
    // In the copy, entries after the end belong to the last span, too: an earlier copy may have come further.
    const copied = await countSpans(this.#to, borders, foreverMicros);
    const stale: (Settled & { isFilled: boolean })[] = [];
    for (const [index, beginning] of borders.entries()) {
      const span = { from: beginning, to: borders[index + 1] ?? until };
      const entries = counts[index]!;
      if (entries === copied[index] && this.#equal.get(beginning) === entries) continue;
      const isEqual = entries === copied[index] && (entries === 0 || (await this.#isEqual(from, span)));
      if (isEqual) this.#equal.set(beginning, entries);
      else stale.push({ ...span, entries, isFilled: copied[index]! > 0 });
    }
    return stale;
  }

  async #isEqual(from: Shards, span: Span): Promise<boolean> {
    const [one, other] = await Promise.all([digestSpan(from, span), digestSpan(this.#to, span)]);
    return one === other;
  }

  async #clear(spans: readonly Span[]): Promise<void> {
    for (let at = 0; at < spans.length; at += spansPerRemoval) {
      const some = spans.slice(at, at + spansPerRemoval);
      const last = this.#borders.at(-1);
      // The last span of the copy has no end.
      const where = some.map(
        span => `(${formatSpan(span.from === last ? { ...span, to: foreverMicros } : span)})`,
      );
      const sql = `DELETE FROM ${localTable} WHERE ${where.join(' OR ')} SETTINGS lightweight_deletes_sync = 2`;
      await Promise.all(this.#to.map(access => runCommand(access, sql)));
    }
  }

  /** Sends each entry to a shard by its identity, which is random, so all shards get the same share of every time. */
  async #carry(from: Shards, span: Settled, onBytes: (bytes: number) => void): Promise<void> {
    if (span.entries === 0) return;
    for (const source of from) {
      await Promise.all(
        this.#to.map((target, index) => {
          const share = this.#to.length === 1 ? '' : ` AND identity % ${this.#to.length} = ${index}`;
          return carryEntries({ from: source, to: target }, `${formatSpan(span)}${share}`, onBytes);
        }),
      );
    }
  }

  /** Removes a dataset that is gone at once, instead of span by span with everything beside it. */
  async #removeGoneDatasets(from: Shards, until: number): Promise<number> {
    if (this.#until === 0 && until === 0) return 0;
    const [present, copied] = await Promise.all([listDatasets(from), listDatasets(this.#to)]);
    const nothing = async () => undefined;
    const removals = createLogRemovals({
      shards: this.#to,
      flush: nothing,
      flushAndForget: nothing,
      isShared: false,
    });
    let removed = 0;
    for (const place of copied) {
      if (present.has(place)) continue;
      const [project, dataset] = JSON.parse(place) as [string, string]; // as `listDatasets` writes them
      removed += await removals.deleteDataset({ project, dataset });
    }
    return removed;
  }
}

async function listDatasets(shards: Shards): Promise<Set<string>> {
  const places = new Set<string>();
  const settings = { optimize_aggregation_in_order: 1, max_execution_time: 0, priority: 2 };
  for (const access of shards) {
    const sql = `SELECT project, dataset FROM ${localTable} GROUP BY project, dataset`;
    for (const row of await queryRows(access, { sql, settings })) places.add(JSON.stringify(row));
  }
  return places;
}

function describeDifference({ from, to, entries }: Settled): LogStoreFailure {
  const name = (micros: number) => new Date(micros / 1000).toISOString();
  return new LogStoreFailure(
    'unavailable',
    `The copy of the ${entries} log entries that arrived between ${name(from)} and ${name(to)} differs from the original. Copy again.`,
  );
}

/** Returns how many entries there are to copy, and their size on the disk. */
export async function measureEntries(shards: Shards): Promise<{ entries: number; bytes: number }> {
  const measured = { entries: 0, bytes: 0 };
  const sql = `SELECT sum(rows), sum(bytes_on_disk) FROM system.parts
    WHERE active AND concat(database, '.', table) = '${localTable}'`;
  for (const access of shards) {
    const [row] = await queryRows(access, { sql });
    measured.entries += Number(row?.[0] ?? 0);
    measured.bytes += Number(row?.[1] ?? 0);
  }
  return measured;
}
