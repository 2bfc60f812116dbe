/** The layout of a database: its tables, and the migrations that lead to them. */
import type { Kysely } from 'kysely';
import type { DescribedTable, TableWords } from './tables.ts';

export type Migration<Schema> = {
  /** One higher than the previous step's version. */
  version: number;
  name: string;
  /** Creates and changes tables as they were at this version, ignoring today's schema. */
  apply: (queries: Kysely<Schema>, words: TableWords) => Promise<void>;
  /** Updates older rows to this version. Runs after `apply`, and after an import of older rows. */
  fill?: (queries: Kysely<Schema>) => Promise<void>;
  /**
   * Only for a step that removes something: how many steps a program must know to work without it. Programs that know fewer are refused
   * from then on. Every other step only adds, so older programs keep working.
   */
  needs?: number;
};

export type Layout<Schema> = {
  /** Messages about newer versions call the program by this name. */
  program: string;
  /** The oldest version that the migrations can start from. */
  oldestVersion: number;
  /** These run on databases of the oldest version or later. An empty database gets the described tables directly. */
  migrations: readonly Migration<Schema>[];
  /**
   * The last step known to programs that refuse databases with later steps. This package did so before it could tell which steps only add.
   * A new database shows such programs this step. Otherwise they would see the oldest version.
   */
  stepsKnownToAll?: number;
  /** Tables that a backup holds. A table comes after the tables it references. */
  tables: readonly DescribedTable[];
  /** Tables that only a full mirror copies. None references another. */
  unsaved: readonly DescribedTable[];
};
