/**
 * Caches the times of entries near the ends of ranges, half a slot each. Dashboards ask for ranges that move by seconds, so
 * their ends stay in the same half for minutes. Parts never change, so the cache stays valid.
 */
import { Binder } from '../../writer/engine/statements.ts';
import { localTable, slotMicros } from '../../writer/schema/schema.ts';
import type { ListedPart, VisibleParts } from '../partList.ts';
import { type Runner, runQuery } from '../queryRunner.ts';
import type { Piece } from '../slots.ts';
import { formatSpan } from './counts.ts';
import { endSettings } from './keptSlots.ts';
import { type CountedGroup, type FieldValues, groupTimes, sumRows } from './slotGroups.ts';

type End = { project: string; piece: Piece };

/** A part with entries near the end. */
type HoldingPart = ListedPart & {
  /** At most so many of its entries lie near the end. */
  nearEntries: number;
};

/** By the key of the part. */
type CachedHalf = Map<string, readonly CountedGroup[]>;

type TimesRow = [part: string, ...FieldValues, offsets: number[]];

const halfMicros = slotMicros / 2;
const entriesMax = 600_000; // seven megabytes
const halvesMax = 64;

export class SlotEnds {
  readonly #runner: Runner;
  /** By project and beginning; the latest one asked about last. */
  readonly #known = new Map<string, CachedHalf>();
  #loading: Promise<void> | null = null;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** Resolves when nothing is loading. */
  async waitUntilLoaded(): Promise<void> {
    await this.#loading;
  }

  /** Lists the entries near the end, each at its own time; null if the engine should read them. Loads a half that is asked about again. */
  find(end: End, holding: readonly HoldingPart[], parts: VisibleParts): CountedGroup[] | null {
    const fromMicros = Math.floor((end.piece.fromMicros ?? 0) / halfMicros) * halfMicros;
    const name = `${end.project} ${fromMicros}`;
    const known = this.#known.get(name);
    this.#known.delete(name);
    this.#known.set(name, known ?? new Map());
    this.#forget(halvesMax, entriesMax);
    if (known === undefined) return null;
    const missing = holding.filter(({ key }) => !known.has(key));
    if (missing.length === 0) return holding.flatMap(({ key }) => known.get(key) ?? []);
    const entries = holding.reduce((sum, { nearEntries }) => sum + nearEntries, 0);
    if (this.#loading !== null || entries > entriesMax) return null;
    const visible = new Set(parts.listed.map(({ key }) => key));
    for (const key of known.keys()) if (!visible.has(key)) known.delete(key);
    this.#loading = this.#load(end.project, fromMicros, missing)
      .then(found => {
        if (!parts.areNames()) return; // a restarted engine may have given a name to another part
        for (const { name: part, key } of missing) known.set(key, found.get(part) ?? []);
      })
      .catch(() => {}) // the engine reads the entries
      .finally(() => {
        this.#loading = null;
      });
    return null;
  }

  /** Returns the groups by the name of the part. */
  async #load(project: string, fromMicros: number, parts: readonly ListedPart[]): Promise<CachedHalf> {
    const binder = new Binder();
    const half = { fromMicros, toMicros: fromMicros + halfMicros };
    const names = binder.bindWords(parts.map(({ name }) => name));
    const sql = `SELECT _part, dataset, toString(level), resource,
        groupArray(toInt64(toUnixTimestamp64Micro(timestamp) - ${binder.bind('Int64', fromMicros)}))
      FROM ${localTable} WHERE project = ${binder.bind('String', project)}${formatSpan('timestamp', half, binder)} AND _part IN ${names}
      GROUP BY _part, dataset, level, resource`;
    const statement = { sql, parameters: binder.parameters, settings: endSettings };
    const noDeadline = new AbortController().signal; // no caller waits for it
    const rows = await runQuery(this.#runner, { weight: 'catchUp', signal: noDeadline }, statement);
    const found = new Map<string, CountedGroup[]>(parts.map(({ name }) => [name, []]));
    // Matches the SELECT.
    for (const [part, dataset, level, resource, offsets] of rows as TimesRow[])
      found.get(part)?.push(
        groupTimes(
          [dataset, level, resource],
          Float64Array.from(offsets, each => fromMicros + each),
        ),
      );
    return found;
  }

  /** Forgets what was asked about longest ago. */
  #forget(halves: number, entries: number): void {
    let rest = [...this.#known.values()].reduce((sum, half) => sum + countEntries(half), 0);
    for (const [name, half] of this.#known) {
      if (this.#known.size <= halves && rest <= entries) return;
      rest -= countEntries(half);
      this.#known.delete(name);
    }
  }
}

function countEntries(half: CachedHalf): number {
  return [...half.values()].reduce((sum, groups) => sum + sumRows(groups), 0);
}
