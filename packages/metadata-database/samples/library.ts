/** A small schema to try the database with: shelves, the books on them, and a count that the layout seeds. */
import {
  describeTable,
  integer,
  key,
  type Layout,
  optional,
  type RowOf,
  refersTo,
  type SchemaOf,
  text,
} from '../src/index.ts';

const counts = {
  ...describeTable('counts', { id: key(integer), count: integer }),
  seed: { id: 1, count: 0 },
};
const shelves = describeTable('shelves', { name: key(text), room: text });

const oldBook = { id: key(text), shelf: refersTo('shelves.name'), title: text, pages: optional(integer) };
const books = describeTable('books', { ...oldBook, lines: optional(integer) });

const tables = [counts, shelves, books] as const;

export type Library = SchemaOf<typeof tables>;

export const linesPerPage = 30;

export const library: Layout<Library> = {
  program: 'Library',
  oldestVersion: 1,
  migrations: [
    {
      version: 2,
      name: 'books',
      apply: async ({ schema }, { text, integer, options }) => {
        await schema
          .createTable('books')
          .addColumn('id', text, column => column.primaryKey().notNull())
          .addColumn('shelf', text, column => column.notNull().references('shelves.name'))
          .addColumn('title', text, column => column.notNull())
          .addColumn('pages', integer)
          .modifyEnd(options)
          .execute();
      },
    },
    {
      version: 3,
      name: 'lines',
      apply: async ({ schema }, { integer }) => {
        await schema.alterTable('books').addColumn('lines', integer).execute();
      },
      fill: async queries => {
        const pages = queries.updateTable('books').where('lines', 'is', null);
        await pages.set(({ eb }) => ({ lines: eb('pages', '*', linesPerPage) })).execute();
      },
    },
  ],
  tables,
  unsaved: [],
};

/** The library as older programs knew it, with one migration and with two. */
export const firstLibrary: Layout<Library> = { ...library, migrations: [], tables: [counts, shelves] };
export const secondLibrary: Layout<Library> = {
  ...library,
  migrations: library.migrations.slice(0, 1),
  tables: [counts, shelves, describeTable('books', oldBook)],
};

export function sampleBook(changes: Partial<RowOf<typeof books>> = {}): RowOf<typeof books> {
  return { id: 'book', shelf: 'first', title: 'A book', pages: 10, lines: 300, ...changes };
}
