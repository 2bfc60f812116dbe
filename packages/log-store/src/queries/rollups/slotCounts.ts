/**
 * Caches the counts that parts keep for each slot, and counts by dataset, level and resource from the cache. It asks the engine only
 * for entries at the ends of the time range, if they are not cached either, and for parts that are not cached yet: planning a
 * statement about kept counts takes the engine longer than that. Parts never change, so the cache stays valid.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import { Binder } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { database, fieldCounts, localTable } from '../../writer/schema/schema.ts';
import { formatConditions } from '../conditions.ts';
import { type ListedPart, PartList, type VisibleParts } from '../partList.ts';
import { partsBoundMax, unmergedName } from '../parts.ts';
import { type Runner, runQuery } from '../queryRunner.ts';
import type { Weight } from '../querySettings.ts';
import { divideNearest, type Piece, readSpan, type Span } from '../slots.ts';
import { formatSpan, lightEntriesMax } from './counts.ts';
import { endSettings, formatEnds, isKept, type KeptField } from './keptSlots.ts';
import { SlotEnds } from './slotEnds.ts';
import {
  addGroups,
  addTo,
  type CountedGroup,
  countInSlots,
  groupRows,
  type SlotRow,
  sumRows,
} from './slotGroups.ts';

type Counting = { filter: LogFilter; field: KeptField; signal: AbortSignal };

/** Entries to read: those at the ends, and all of the slots in parts without cached counts. */
type Reading = Counting & {
  slots: Span;
  pieces: readonly Piece[];
  unread: readonly ListedPart[];
  weight: Weight;
};

type Ends = Omit<Counting, 'signal'> & { pieces: readonly Piece[]; parts: VisibleParts };

/** By the key of the part; null: too many, or none are kept. */
type CachedParts = Map<string, readonly CountedGroup[] | null>;

const rowsOfPartMax = 20_000; // a day of forty resources with five levels
const rowsMax = 400_000; // five megabytes
const partsAtOnce = 4;
const followedAfterSeconds = 60; // most unmerged parts are merged sooner

export class SlotCounts {
  readonly #runner: Runner;
  readonly #list: PartList;
  readonly #ends: SlotEnds;
  /** By project, the latest one asked about last. */
  readonly #known = new Map<string, CachedParts>();
  #loading: Promise<void> | null = null;

  /** `shard` must be the only server. */
  constructor(runner: Runner, shard: EngineAccess) {
    this.#runner = { ...runner, access: shard };
    this.#list = new PartList(runner, shard);
    this.#ends = new SlotEnds(this.#runner);
  }

  /** Resolves when nothing is loading. */
  async waitUntilLoaded(): Promise<void> {
    await Promise.all([this.#loading, this.#ends.waitUntilLoaded()]);
  }

  /** Counts matches by their values of the field; null if the engine should count them. */
  async count({ filter, field, signal }: Counting): Promise<Map<string, number> | null> {
    const divided = divideNearest(readSpan(filter));
    if (divided === null || !isKept(filter.condition)) return null;
    const { slots, pieces } = divided;
    const parts = await this.#list.listVisible(signal);
    if (parts === null) return null;
    const cached = this.#use(filter.project);
    this.#follow(filter.project, parts);
    const unread = parts.listed.filter(({ key }) => !cached.get(key));
    if (sumEntries(unread) > lightEntriesMax || unread.length > partsBoundMax) return null;
    const counts = new Map<string, number>();
    const groups = parts.listed.flatMap(({ key }) => cached.get(key) ?? []);
    addGroups(counts, groups, { filter, field, span: slots });
    const read = unread.length > 0 ? pieces : this.#addKnownEnds(counts, { filter, field, pieces, parts });
    const readEntries = read.reduce((sum, piece) => sum + countInSlots(groups, piece), 0);
    const weight = readEntries > lightEntriesMax ? 'heavy' : 'light';
    await this.#addEntries(counts, { filter, field, signal, slots, pieces: read, unread, weight });
    return (await parts.areCurrent()) ? counts : null;
  }

  /** Adds the ends whose entries are cached, and returns those that the engine must read. */
  #addKnownEnds(counts: Map<string, number>, { filter, field, pieces, parts }: Ends): Piece[] {
    const cached = this.#use(filter.project);
    return pieces.filter(piece => {
      const holding = parts.listed
        .map(part => ({ ...part, nearEntries: countInSlots(cached.get(part.key) ?? [], piece) }))
        .filter(({ nearEntries }) => nearEntries > 0);
      if (holding.length === 0) return false;
      const groups = this.#ends.find({ project: filter.project, piece }, holding, parts);
      if (groups !== null) addGroups(counts, groups, { filter, field, span: piece, sign: piece.sign });
      return groups === null;
    });
  }

  #use(project: string): CachedParts {
    const cached: CachedParts = this.#known.get(project) ?? new Map();
    this.#known.delete(project);
    this.#known.set(project, cached);
    return cached;
  }

  /** Reads everything in one statement, and so at one moment. */
  async #addEntries(counts: Map<string, number>, reading: Reading): Promise<void> {
    const { filter, field, signal, weight } = reading;
    const binder = new Binder();
    const sources = listSources(reading, binder);
    if (sources.length === 0) return;
    const statements = sources.map(
      ({ where, count }) =>
        `SELECT toString(${field}) AS value, ${count} FROM ${localTable} WHERE ${where} GROUP BY value`,
    );
    const statement = {
      sql: statements.join(' UNION ALL '),
      parameters: binder.parameters,
      settings: endSettings,
    };
    const runner = { ...this.#runner, holder: filter.project };
    const rows = await runQuery(runner, { weight, signal }, statement);
    for (const [value, entries] of rows as [string, number][]) addTo(counts, value, entries); // matches the SELECT
  }

  /** Loads counts in the background. Does not retry failures, such as too little memory: every query would pay for it. */
  #follow(project: string, parts: VisibleParts): void {
    if (this.#loading !== null) return;
    const cached = this.#use(project);
    const unknown = parts.listed.filter(({ key }) => !cached.has(key)).filter(isFollowed);
    if (unknown.length === 0) return;
    const visible = new Set(parts.listed.map(({ key }) => key));
    for (const key of cached.keys()) if (!visible.has(key)) cached.delete(key);
    this.#loading = this.#loadAll(project, unknown, parts).finally(() => {
      this.#loading = null;
    });
  }

  async #loadAll(project: string, unknown: readonly ListedPart[], parts: VisibleParts): Promise<void> {
    for (let place = 0; place < unknown.length; place += partsAtOnce) {
      const next = unknown.slice(place, place + partsAtOnce);
      const found = await this.#load(project, next).catch((): CachedParts => new Map());
      if (!parts.areNames()) return; // a restarted engine may have given a name to another part
      const cached = this.#known.get(project);
      if (cached === undefined) return; // forgotten meanwhile
      for (const { name, key } of next) cached.set(key, found.get(name) ?? null);
      this.#forgetRows(project);
    }
  }

  /** Returns the counts by the name of the part. */
  async #load(project: string, parts: readonly ListedPart[]): Promise<CachedParts> {
    const counted = parts.filter(({ hasCounts }) => hasCounts);
    if (counted.length === 0) return new Map();
    const binder = new Binder();
    const names = binder.bindWords(counted.map(({ name }) => name));
    const table = localTable.slice(database.length + 1);
    const sql = `SELECT part, count() > ${rowsOfPartMax},
        groupArray(${rowsOfPartMax})((dataset, named, resource, second, number))
      FROM (SELECT part, dataset, toString(level) AS named, resource, toUnixTimestamp(slot) AS second,
          sum(finalizeAggregation(entries)) AS number
        FROM (SELECT *, _part FROM mergeTreeProjection('${database}', '${table}', '${fieldCounts.name}')
          WHERE _part IN ${names}) AS kept(${fieldCounts.columns}, part)
        WHERE project = ${binder.bind('String', project)} GROUP BY part, dataset, named, resource, second)
      GROUP BY part`;
    const noDeadline = new AbortController().signal; // no caller waits for it
    const statement = { sql, parameters: binder.parameters };
    const rows = await runQuery(this.#runner, { weight: 'catchUp', signal: noDeadline }, statement);
    const found: CachedParts = new Map(counted.map(({ name }) => [name, []])); // may have no entries of the project
    // Matches the SELECT.
    for (const [name, areTooMany, listed] of rows as [string, 0 | 1, SlotRow[]][])
      found.set(name, areTooMany ? null : groupRows(listed));
    return found;
  }

  /** Forgets other projects first, then the latest parts. */
  #forgetRows(project: string): void {
    let rows = sumRows([...this.#known.values()].flatMap(listGroups));
    for (const [other, cached] of [...this.#known]) {
      if (rows <= rowsMax || other === project) break;
      rows -= sumRows(listGroups(cached));
      this.#known.delete(other);
    }
    const own = this.#known.get(project);
    for (const [key, groups] of [...(own ?? [])].reverse()) {
      if (rows <= rowsMax) break;
      rows -= sumRows(groups ?? []);
      own?.set(key, null);
    }
  }
}

function isFollowed({ name, ageSeconds }: ListedPart): boolean {
  return !unmergedName.test(name) || ageSeconds >= followedAfterSeconds;
}

function listGroups(cached: CachedParts): CountedGroup[] {
  return [...cached.values()].flatMap(groups => groups ?? []);
}

function sumEntries(parts: readonly ListedPart[]): number {
  return parts.reduce((sum, { entries }) => sum + entries, 0);
}

type Source = { where: string; count: string };

const everyEntry = 'toInt64(count())';

/** Lists what to read, one statement each. */
function listSources({ filter, slots, pieces, unread }: Reading, binder: Binder): Source[] {
  const conditions = formatConditions({ ...filter, fromMicros: null, toMicros: null }, binder, false);
  const names = unread.map(({ name }) => name);
  const wholeParts = `${conditions}${formatSpan('timestamp', slots, binder)} AND _part IN ${binder.bindWords(names)}`;
  const subtracted = pieces.filter(({ sign }) => sign === -1);
  const count =
    subtracted.length === 0 ? everyEntry : `toInt64(sum(if(${formatEnds(subtracted, binder)}, -1, 1)))`;
  return [
    ...(pieces.length === 0 ? [] : [{ where: `${conditions} AND ${formatEnds(pieces, binder)}`, count }]),
    ...(names.length === 0 ? [] : [{ where: wholeParts, count: everyEntry }]),
  ];
}
