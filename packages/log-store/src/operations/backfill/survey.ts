/** Finds partitions with entries of earlier versions, and what these lack. */

import { partsBoundMax } from '../../queries/parts.ts';
import { Binder, queryRows } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { activeParts, localTable } from '../../writer/schema/schema.ts';

export type OldPartition = { id: string; entries: number; withoutPattern: number };

type FoundPart = { name: string; partition: string; hash: string };

/** Deleted rows do not count as entries. */
type Counts = Pick<OldPartition, 'entries' | 'withoutPattern'>;

/** Low priority, because nothing waits for the answer. */
export const readSettings = {
  max_threads: 1,
  priority: 2,
  os_threads_nice_value_query: 14,
  max_execution_time: 600,
};

/** Remembers counts by the checksums of the files, because a part that gets another number keeps its files. */
export class Survey {
  readonly #access: EngineAccess;
  #known = new Map<string, Counts>();

  constructor(access: EngineAccess) {
    this.#access = access;
  }

  /** Lists all partitions, newest first. */
  async list(signal: AbortSignal): Promise<OldPartition[]> {
    const parts = await this.#count(signal);
    return [...Map.groupBy(parts, ({ partition }) => partition)].map(([id, ofPartition]) => {
      const counts = ofPartition.map(({ hash }) => this.#known.get(hash) ?? nothing);
      return {
        id,
        entries: sum(counts.map(({ entries }) => entries)),
        withoutPattern: sum(counts.map(({ withoutPattern }) => withoutPattern)),
      };
    });
  }

  /** Lists all parts again if one has lost its name meanwhile, because it was merged or got another number. */
  async #count(signal: AbortSignal): Promise<FoundPart[]> {
    for (let missed = new Set<string>(); ; ) {
      const parts = await this.#listParts(signal);
      const unknown = parts.filter(({ hash }) => !this.#known.has(hash));
      const counts = await this.#countEntries(unknown, signal);
      for (const { name, hash } of unknown) {
        const counted = counts.get(name);
        // A part that still exists but returns no counts holds only deleted rows.
        if (counted !== undefined || missed.has(name)) this.#known.set(hash, counted ?? nothing);
      }
      const left = parts.filter(({ hash }) => !this.#known.has(hash));
      if (left.length > 0) {
        missed = new Set(left.map(({ name }) => name));
        continue;
      }
      this.#known = new Map(parts.map(({ hash }) => [hash, this.#known.get(hash) ?? nothing]));
      return parts;
    }
  }

  async #listParts(signal: AbortSignal): Promise<FoundPart[]> {
    const sql = `SELECT name, partition_id, hash_of_all_files
      FROM ${activeParts} ORDER BY max(max_time) OVER (PARTITION BY partition_id) DESC, partition_id, name`;
    const rows = (await queryRows(this.#access, { sql, signal })) as [string, string, string][]; // as selected
    return rows.map(([name, partition, hash]) => ({ name, partition, hash }));
  }

  /** Returns the counts by the name of the part. */
  async #countEntries(parts: readonly FoundPart[], signal: AbortSignal): Promise<Map<string, Counts>> {
    const counts = new Map<string, Counts>();
    for (let at = 0; at < parts.length; at += partsBoundMax) {
      const binder = new Binder();
      const names = binder.bindWords(parts.slice(at, at + partsBoundMax).map(({ name }) => name));
      const sql = `SELECT _part, count(), countIf(pattern = 0) FROM ${localTable} WHERE _part IN ${names} GROUP BY _part`;
      const { parameters } = binder;
      const rows = await queryRows(this.#access, { sql, parameters, settings: readSettings, signal });
      // As selected.
      for (const [name, entries, withoutPattern] of rows as [string, number, number][])
        counts.set(name, { entries, withoutPattern });
    }
    return counts;
  }
}

const nothing: Counts = { entries: 0, withoutPattern: 0 };

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
