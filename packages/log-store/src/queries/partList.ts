/**
 * Lists the parts that searches may leave out, and reuses the list as long as no other part can have become visible. The engine
 * gives a part its directory before it shows the part's entries, and never uses a name twice while it runs: it refuses to drop or
 * detach the log table (`keptTable`). So if every part in the directory of the table is known from the list, the list covers
 * every visible entry. It may still have parts that were merged or deleted since: their names stand for no part, and a merged
 * part holds what they held.
 */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { fieldCounts, localTable } from '../writer/schema/schema.ts';
import { type Runner, runQuery } from './queryRunner.ts';
import { plainSettings } from './querySettings.ts';

export type ListedPart = {
  name: string;
  /** Unique among all parts, also over restarts of the engine. */
  key: string;
  entries: number;
  /** Age since the part was inserted or merged. */
  ageSeconds: number;
  /** Whether the part keeps counts beside its entries. */
  hasCounts: boolean;
};

/** All visible parts. */
export type VisibleParts = {
  listed: readonly ListedPart[];
  /** Whether none was added, merged, changed or removed since. */
  areCurrent(): Promise<boolean>;
  /** Whether the names still belong to these parts, those that were merged or removed included. */
  areNames(): boolean;
};

type List = {
  /** Of the process that listed the parts: a restarted engine may use names again. */
  endpoint: object | null;
  /** Holds the directories of the parts. */
  directory: string;
  /** All parts, including those that were merged away. */
  names: ReadonlySet<string>;
  /** Visible parts with entries. */
  parts: readonly ListedPart[];
  listedAt: number;
};

type Row = [
  name: string,
  hash: string,
  entries: number,
  ageSeconds: number,
  hasCounts: 0 | 1,
  isActive: 0 | 1,
  path: string,
];

const sql = `SELECT name, hash_of_all_files, rows, dateDiff('second', modification_time, now()),
    has(projections, '${fieldCounts.name}'), active, path
  FROM system.parts WHERE concat(database, '.', table) = '${localTable}'`;

export class PartList {
  readonly #runner: Runner;
  readonly #shard: EngineAccess;
  #latest: List | null = null;

  /** Without the engine's files, as on another machine, each call asks the engine. */
  constructor(runner: Runner, shard: EngineAccess) {
    this.#runner = { ...runner, access: shard };
    this.#shard = shard;
  }

  /** Covers every entry that was visible at the call. */
  async list(signal: AbortSignal): Promise<readonly ListedPart[]> {
    const known = this.#latest;
    if (known === null || known.endpoint !== this.#shard.endpoint() || !(await isCurrent(known)))
      return this.#load(signal);
    const passedSeconds = Math.floor((performance.now() - known.listedAt) / 1000);
    return known.parts.map(part => ({ ...part, ageSeconds: part.ageSeconds + passedSeconds }));
  }

  /**
   * Lists exactly the visible parts; null if the service cannot see the engine's files. The list is exact as long as it is current:
   * every change of the visible parts, a deletion too, leaves a part with a new name, and a removed part loses its directory.
   */
  async listVisible(signal: AbortSignal): Promise<VisibleParts | null> {
    const listed = await this.list(signal);
    const known = this.#latest;
    if (known === null) return null;
    const areNames = () => known.endpoint === this.#shard.endpoint();
    const areCurrent = async () => areNames() && (await isExact(known)) && areNames();
    return { listed, areCurrent, areNames };
  }

  async #load(signal: AbortSignal): Promise<readonly ListedPart[]> {
    const endpoint = this.#shard.endpoint();
    const listedAt = performance.now();
    const statement = { sql, settings: plainSettings };
    const answer = await runQuery(this.#runner, { weight: 'light', signal }, statement);
    const rows = answer as Row[]; // matches the SELECT
    const parts = rows
      .filter(([, , entries, , , isActive]) => isActive === 1 && entries > 0)
      .map(([name, hash, entries, ageSeconds, hasCounts]) => {
        return { name, key: `${name} ${hash}`, entries, ageSeconds, hasCounts: hasCounts === 1 };
      });
    const directories = new Set(rows.map(row => path.dirname(row[6])));
    const [directory] = directories;
    const isKept = directory !== undefined && directories.size === 1 && endpoint === this.#shard.endpoint();
    const names = new Set(rows.map(([name]) => name));
    this.#latest = isKept ? { endpoint, directory, names, parts, listedAt } : null;
    return parts;
  }
}

/** Matches directories that the engine is still writing or already removing. */
const unfinishedName = /^(tmp|delete_tmp)_/;
const partName = /_[0-9]+_[0-9]+_[0-9]+(_[0-9]+)?$/;

/** Whether the directory has none but known parts. It must have one of them, or it is not the table's. */
async function isCurrent({ directory, names }: List): Promise<boolean> {
  const present = await readParts(directory);
  return present.length > 0 && present.every(name => names.has(name));
}

/** Whether the directory has none but known parts, and all that were visible. */
async function isExact({ directory, names, parts }: List): Promise<boolean> {
  const present = new Set(await readParts(directory));
  return present.size > 0 && names.isSupersetOf(present) && parts.every(({ name }) => present.has(name));
}

async function readParts(directory: string): Promise<string[]> {
  const found = await readdir(directory).catch(() => []);
  return found.filter(name => partName.test(name) && !unfinishedName.test(name));
}
