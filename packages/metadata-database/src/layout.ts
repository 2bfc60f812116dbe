/** What a program keeps: its tables as they are carried out and in, and the steps that made them. */
import type { Kysely, RawBuilder } from 'kysely';

/** The words in which the dialects differ when tables are made. Text compares by bytes, so both order alike. */
export type TableWords = {
  text: RawBuilder<unknown>;
  /** Holds every integer that JavaScript counts exactly. */
  integer: RawBuilder<unknown>;
  /** What ends a `create table`. */
  options: RawBuilder<unknown>;
};

export type Migration<Schema> = {
  /** Its place among the migrations, from 1. */
  version: number;
  name: string;
  /** Makes and changes tables as they were at its version, whatever the schema says today. */
  apply: (queries: Kysely<Schema>, words: TableWords) => Promise<void>;
  /** Brings rows of an older version to this one: behind `apply`, and behind an import of such rows. */
  fill?: (queries: Kysely<Schema>) => Promise<void>;
  /**
   * For a step that takes something away: how many steps a program must know that does without it. Older ones are refused from
   * then on. Any other step only adds, and programs that do not know it go on.
   */
  needs?: number;
};

/** Rows hold text, integers and null, so that they travel unchanged. The key gives the order, the columns are all there are. */
export type TableShape = {
  table: string;
  key: readonly string[];
  /** Those of the key, too. */
  columns: readonly string[];
  /** Its rows are there from the migration on: an import changes them. */
  isSeeded?: boolean;
};

export type Layout<Schema> = {
  /** By this name sentences speak of newer versions. */
  program: string;
  migrations: readonly Migration<Schema>[];
  /**
   * The last step that programs know which refuse any database with later steps, as this package had it before it told steps that
   * only add from others. One that is new shows them no more than that.
   */
  stepsKnownToAll?: number;
  /** Those that a backup carries. Those that others refer to come first. */
  tables: readonly TableShape[];
  /** The others, which only a mirror of the whole has, too. None refers to another. */
  unsaved: readonly TableShape[];
};
