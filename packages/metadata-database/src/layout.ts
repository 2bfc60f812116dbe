/** The layout of a database: its tables, and the migrations that lead to them. */
import type { Kysely } from 'kysely';
import type { DescribedTable, TableWords } from './tables.ts';

export type Migration<Schema> = {
  /** One more than that of the step before it. */
  version: number;
  name: string;
  /** Makes and changes tables as they were at its version, ignoring today's schema. */
  apply: (queries: Kysely<Schema>, words: TableWords) => Promise<void>;
  /** Brings rows of an older version to this one: behind `apply`, and behind an import of such rows. */
  fill?: (queries: Kysely<Schema>) => Promise<void>;
  /**
   * For a step that takes something away: how many steps a program must know that does without it. Older ones are refused from
   * then on. Any other step only adds, and programs that do not know it go on.
   */
  needs?: number;
};

export type Layout<Schema> = {
  /** By this name sentences speak of newer versions. */
  program: string;
  /** The oldest version that the steps can start from. */
  oldestVersion: number;
  /** For databases of the oldest version and later; an empty one gets the tables as they are described. */
  migrations: readonly Migration<Schema>[];
  /**
   * The last step known to programs that refuse any database with later steps, as this package did before it told apart
   * steps that only add something. A new database shows such programs this step; otherwise they would see the oldest
   * version.
   */
  stepsKnownToAll?: number;
  /** Tables in a backup; those that others refer to come first. */
  tables: readonly DescribedTable[];
  /** The others, which only a mirror of the whole has, too. None refers to another. */
  unsaved: readonly DescribedTable[];
};
