/**
 * Measures the bytes of datasets on disk. A part holds entries of several datasets and projects, so this divides its bytes by
 * the number of entries of each dataset and the length of their bodies. It does not read the texts of large parts. Parts
 * never change, so it caches the shares.
 */

import { Binder } from '../writer/engine/statements.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { activeParts, localTable } from '../writer/schema/schema.ts';
import { partsBoundMax } from './parts.ts';
import { type Runner, type RunOptions, runQuery } from './queryRunner.ts';

const sharesMax = 100_000; // cached per server: about 20 MB
const attemptsMax = 3; // merges replace parts now and then, but seldom the same parts twice in a row

type DatasetPlace = { project: string; dataset: string };
type Share = DatasetPlace & { bytes: number };
type SizedPart = { name: string; key: string; bytes: number; bodyBytes: number };
/** The entries of a dataset in a part, and the total length of their bodies in bytes. */
type Portion = DatasetPlace & { part: string; entries: number; bodyLength: number };

export class DatasetBytes {
  readonly #runner: Runner;
  /** Shares by server and part key. */
  readonly #known = new Map<EngineAccess, Map<string, readonly Share[]>>();
  /** Running measurements by server. Callers that ask meanwhile wait for them. */
  readonly #dividing = new Map<EngineAccess, Promise<unknown>>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** Measures a project's datasets on one server. */
  async measure(shard: EngineAccess, project: string, signal: AbortSignal): Promise<Map<string, number>> {
    const runner = { ...this.#runner, access: shard, holder: project };
    const known = this.#known.get(shard) ?? new Map<string, readonly Share[]>();
    this.#known.set(shard, known);
    let parts = await listSizedParts(runner, signal);
    const read = new Map<string, readonly Share[]>();
    const listUnread = () => parts.filter(({ key }) => !known.has(key) && !read.has(key));
    for (let attempt = 0; attempt < attemptsMax && listUnread().length > 0; attempt++) {
      await this.#dividing.get(shard)?.catch(() => {}); // its caller may have left
      signal.throwIfAborted();
      for (const [key, shares] of await this.#divide(runner, listUnread(), signal)) read.set(key, shares);
      parts = await listSizedParts(runner, signal); // parts that were merged meanwhile had no entries to read
    }
    const found = parts.map(({ key }) => [key, known.get(key) ?? read.get(key) ?? []] as const);
    remember(known, found);
    return addUp(found, project);
  }

  async #divide(
    runner: Runner,
    unread: readonly SizedPart[],
    signal: AbortSignal,
  ): Promise<Map<string, readonly Share[]>> {
    if (unread.length === 0) return new Map();
    const { access } = runner;
    const dividing = divideParts(runner, { weight: 'heavy', signal }, unread).then(divided => {
      for (const [key, shares] of divided) this.#known.get(access)?.set(key, shares);
      return divided;
    });
    this.#dividing.set(access, dividing);
    try {
      return await dividing;
    } finally {
      if (this.#dividing.get(access) === dividing) this.#dividing.delete(access);
    }
  }
}

function remember(
  known: Map<string, readonly Share[]>,
  found: readonly (readonly [string, readonly Share[]])[],
): void {
  known.clear(); // including parts that are gone
  let count = 0;
  for (const [key, shares] of found) {
    count += shares.length + 1;
    if (count > sharesMax) break;
    known.set(key, shares);
  }
}

function addUp(
  found: readonly (readonly [string, readonly Share[]])[],
  project: string,
): Map<string, number> {
  const total = new Map<string, number>();
  for (const [, shares] of found)
    for (const share of shares)
      if (share.project === project) total.set(share.dataset, (total.get(share.dataset) ?? 0) + share.bytes);
  return total;
}

async function listSizedParts(runner: Runner, signal: AbortSignal): Promise<SizedPart[]> {
  const bodies = `SELECT name, column_data_compressed_bytes AS bodies FROM system.parts_columns
    WHERE active AND concat(database, '.', table) = '${localTable}' AND column = 'body'`;
  const sql = `SELECT name, hash_of_all_files, bytes_on_disk, bodies
    FROM (SELECT * FROM ${activeParts} AND rows > 0) AS parts LEFT JOIN (${bodies}) AS columns USING (name)`;
  const rows = await runQuery(runner, { weight: 'light', signal }, { sql });
  // Matches the SELECT.
  return (rows as [string, string, number, number][]).map(row => {
    const [name, hash, bytes, bodyBytes] = row;
    return { name, key: `${name} ${hash}`, bytes, bodyBytes };
  });
}

/** Divides parts, and returns shares by part key. */
async function divideParts(
  runner: Runner,
  options: RunOptions,
  parts: readonly SizedPart[],
): Promise<Map<string, readonly Share[]>> {
  const portions: Portion[] = [];
  for (const some of cut(parts, partsBoundMax))
    portions.push(...(await measurePortions(runner, options, some)));
  const byPart = Map.groupBy(portions, ({ part }) => part);
  return new Map(parts.map(part => [part.key, dividePart(part, byPart.get(part.name) ?? [])]));
}

/** Reads texts of parts up to this size: they have few, and small parts do not store lengths separately from texts. */
const readBytesMax = 16 * 1024 * 1024;
const otherBytes = 64; // per entry, in addition to its body, before compression

/**
 * Measures datasets in parts. Large parts store the lengths of texts in a separate file. Parts of earlier versions have none, so only
 * their numbers of entries count.
 */
async function measurePortions(
  runner: Runner,
  options: RunOptions,
  parts: readonly SizedPart[],
): Promise<Portion[]> {
  const withLengths = await listWithLengths(runner, options.signal);
  const lengthOf = ({ name, bytes }: SizedPart) => {
    if (withLengths.has(name)) return 'sum(body.size)';
    return bytes <= readBytesMax ? `sum(length(body) + ${otherBytes})` : 'count()';
  };
  const portions: Portion[] = [];
  for (const [length, alike] of Map.groupBy(parts, lengthOf)) {
    const names = alike.map(({ name }) => name);
    portions.push(...(await countPortions(runner, options, { names, length })));
  }
  return portions;
}

async function listWithLengths(runner: Runner, signal: AbortSignal): Promise<Set<string>> {
  const sql = `SELECT name FROM system.parts_columns WHERE active AND concat(database, '.', table) = '${localTable}'
    AND column = 'body' AND has(substreams, 'body.size')`;
  const rows = await runQuery(runner, { weight: 'light', signal }, { sql });
  return new Set((rows as [string][]).map(([name]) => name)); // matches the SELECT
}

async function countPortions(
  runner: Runner,
  options: RunOptions,
  { names, length }: { names: readonly string[]; length: string },
): Promise<Portion[]> {
  const binder = new Binder();
  const sql = `SELECT _part, project, dataset, count(), ${length} FROM ${localTable}
    WHERE _part IN ${binder.bindWords(names)} GROUP BY _part, project, dataset`;
  const rows = await runQuery(runner, options, { sql, parameters: binder.parameters });
  // Matches the SELECT.
  return (rows as [string, string, string, number, number][]).map(row => {
    const [part, project, dataset, entries, bodyLength] = row;
    return { part, project, dataset, entries, bodyLength };
  });
}

function dividePart(part: SizedPart, portions: readonly Portion[]): Share[] {
  const all = { entries: 0, bodyLength: 0 };
  for (const { entries, bodyLength } of portions) {
    all.entries += entries;
    all.bodyLength += bodyLength;
  }
  // Small parts store all columns in one file, so the size of their bodies is unknown.
  const bodyBytes = all.bodyLength === 0 ? 0 : part.bodyBytes || part.bytes;
  return portions.map(({ project, dataset, entries, bodyLength }) => ({
    project,
    dataset,
    bytes:
      ((part.bytes - bodyBytes) * entries) / all.entries +
      (bodyBytes === 0 ? 0 : (bodyBytes * bodyLength) / all.bodyLength),
  }));
}

function cut<T>(all: readonly T[], count: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / count) }, (_, at) =>
    all.slice(at * count, (at + 1) * count),
  );
}
