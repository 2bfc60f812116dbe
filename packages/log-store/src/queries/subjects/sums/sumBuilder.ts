/** Fills the table of sums. The statements run inside the engine and give way to queries. */
import { randomInt } from 'node:crypto';
import { type Parameters, queryRows, runCommand } from '../../../writer/engine/statements.ts';
import type { EngineAccess } from '../../../writer/engine/supervision.ts';
import type { SummedKind } from '../../logQueries.ts';
import { runQuery } from '../../queryRunner.ts';
import { wholeMapSettings } from '../../querySettings.ts';
import { type Arrived, dayMicros, type SubjectDeps } from '../settledEntries.ts';
import { countRows, type DayEntries, type SummedDay } from './ledger.ts';
import {
  type EntrySpan,
  formatBuild,
  formatJoining,
  formatRemoval,
  formatRowCounts,
  formatSurvey,
  numberPiece,
} from './sumStatements.ts';
import { createSumTable, sumTable } from './sumTable.ts';

/** A kind and its number in the table. */
type NumberedKind = { kind: SummedKind; list: number };

type Days = ReadonlyMap<number, DayEntries>;

const piecesMax = 4; // per day, before they are joined
const buildsMax = 2 ** 36;
const asideDivisor = 3; // of a statement's memory; the rest is for merging groups that spilled to disk
/** Uses two threads, because users wait for the first sums. Without the other settings, the engine would not split so few rows. */
const threadSettings = {
  max_threads: 2,
  merge_tree_min_rows_for_concurrent_read: 20_000,
  merge_tree_min_bytes_for_concurrent_read: 1,
};

export class SumBuilder {
  readonly #deps: SubjectDeps;
  readonly #access: EngineAccess;
  readonly #buildEntriesMax: number;
  /** Whether the table may hold rows. */
  #isUsed = true;

  constructor(deps: SubjectDeps, buildEntriesMax: number) {
    this.#deps = deps;
    this.#buildEntriesMax = buildEntriesMax;
    this.#access = deps.shards[0] ?? deps.runner.access;
  }

  /** Calls `onUp` after each start of the engine, because it may have set aside parts of the table. */
  follow(onUp: () => void): void {
    this.#access.onUp(onUp);
  }

  /** Creates the table if there are kinds, and removes rows of other kinds. */
  async prepare(lists: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
    if (lists.size === 0 && !this.#isUsed) return;
    if (lists.size > 0) await createSumTable(this.#access, signal);
    const sql = `SELECT DISTINCT partition FROM system.parts WHERE active AND concat(database, '.', table) = '${sumTable}'`;
    for (const [partition] of await queryRows(this.#access, { sql, signal }))
      if (!lists.has(Number(partition))) await this.drop(Number(partition), signal);
    this.#isUsed = lists.size > 0;
  }

  async drop(list: number, signal: AbortSignal): Promise<void> {
    await runCommand(this.#access, `ALTER TABLE ${sumTable} DROP PARTITION ${list}`, { signal });
  }

  /** Counts rows by piece number. */
  async countRows(list: number, signal: AbortSignal): Promise<Map<number, number>> {
    const rows = await queryRows(this.#access, { sql: formatRowCounts(list), signal });
    return new Map(rows as [number, number][]); // matches the SELECT
  }

  async removeOthers(list: number, kept: readonly number[], signal: AbortSignal): Promise<void> {
    const { sql, parameters } = formatRemoval(list, kept);
    await runCommand(this.#access, sql, { parameters, signal });
  }

  /** Counts the entries of each day that arrived in a time span. */
  async survey(kind: SummedKind, arrived: Arrived, signal: AbortSignal): Promise<Days> {
    const runner = { ...this.#deps.runner, holder: kind.project };
    const rows = await runQuery(runner, { weight: 'catchUp', signal }, formatSurvey(kind, arrived));
    // Matches the SELECT.
    const days = rows as unknown as [number, number, string][];
    return new Map(days.map(([day, entries, hash]) => [day, { entries, hash: BigInt(hash) }]));
  }

  /** Builds a few days at a time. Entries deleted meanwhile make the total count differ from that of the days. */
  async *build(
    { kind, list }: NumberedKind,
    { days, arrived }: { days: Days; arrived: Arrived },
    signal: AbortSignal,
  ): AsyncGenerator<Map<number, SummedDay>> {
    for (const some of groupDays(days, this.#buildEntriesMax)) {
      const build = chooseBuild();
      for (const times of listTimes(some, this.#buildEntriesMax))
        await this.#insert(kind, formatBuild(kind, { build, list }, { ...times, arrived }), signal);
      const rows = await this.countRows(list, signal);
      yield new Map(
        [...some].map(([day, found]) => {
          const number = numberPiece(build, day);
          const count = rows.get(number);
          return [day, { ...found, pieces: count === undefined ? [] : [{ number, rows: count }] }];
        }),
      );
    }
  }

  /** Joins the pieces of a day; null if it has only a few. */
  async join(
    { kind, list }: NumberedKind,
    [day, summed]: readonly [number, SummedDay],
    signal: AbortSignal,
  ): Promise<SummedDay | null> {
    if (summed.pieces.length <= piecesMax) return null;
    const number = numberPiece(chooseBuild(), day);
    const joined = chooseJoined(summed);
    const numbers = joined.map(piece => piece.number);
    await this.#insert(kind, formatJoining(list, numbers, number), signal);
    const rows = (await this.countRows(list, signal)).get(number) ?? 0;
    return {
      ...summed,
      pieces: [...summed.pieces.filter(piece => !joined.includes(piece)), { number, rows }],
    };
  }

  async #insert(
    { project }: SummedKind,
    { sql, parameters }: { sql: string; parameters: Parameters },
    signal: AbortSignal,
  ): Promise<void> {
    const { gates, memoryBytesMax } = this.#deps.runner;
    using _pass = await gates.catchUp.enter(project, signal);
    const limits = [
      'max_insert_threads = 1, insert_deduplicate = 0, os_threads_nice_value_query = 10',
      ...Object.entries({ ...threadSettings, ...wholeMapSettings }).map(
        ([name, value]) => `${name} = ${value}`,
      ),
      `max_memory_usage = ${memoryBytesMax}`,
      `max_bytes_before_external_group_by = ${Math.floor(memoryBytesMax / asideDivisor)}`,
    ];
    await runCommand(this.#access, `${sql} SETTINGS ${limits.join(', ')}`, { parameters, signal });
  }
}

function chooseBuild(): number {
  return randomInt(1, buildsMax);
}

/** Chooses the small pieces. Includes the largest only if the others have more than half as many rows. */
function chooseJoined(day: SummedDay): SummedDay['pieces'] {
  const [largest, ...others] = day.pieces.toSorted((one, other) => other.rows - one.rows);
  return largest === undefined || countRows({ pieces: others }) * 2 > largest.rows ? day.pieces : others;
}

/** Groups days as long as they have few entries together, even if they are not consecutive. */
function* groupDays(days: Days, buildEntriesMax: number): Generator<Days> {
  let group = new Map<number, DayEntries>();
  let entries = 0;
  for (const [day, found] of [...days].sort(([one], [other]) => one - other)) {
    if (group.size > 0 && entries + found.entries > buildEntriesMax) {
      yield group;
      group = new Map();
      entries = 0;
    }
    group.set(day, found);
    entries += found.entries;
  }
  if (group.size > 0) yield group;
}

/** Splits a single day that is too large into several spans. */
function* listTimes(days: Days, buildEntriesMax: number): Generator<Omit<EntrySpan, 'arrived'>> {
  const numbers = [...days.keys()];
  const first = Math.min(...numbers);
  const entries = days.values().reduce((sum, found) => sum + found.entries, 0);
  const spans = days.size > 1 ? 1 : Math.max(1, Math.ceil(entries / buildEntriesMax));
  const startMicros = first * dayMicros;
  const lengthMicros = (Math.max(...numbers) + 1 - first) * dayMicros;
  for (let span = 0; span < spans; span++)
    yield {
      days: numbers,
      fromMicros: startMicros + Math.floor((lengthMicros * span) / spans),
      toMicros: startMicros + Math.floor((lengthMicros * (span + 1)) / spans),
    };
}
