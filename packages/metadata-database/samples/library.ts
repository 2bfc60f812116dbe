/** A small schema to try the database with: shelves, the books on them, and a count that is there from the beginning. */
import type { Layout } from '../src/index.ts';

export type Library = {
  counts: { id: number; count: number };
  shelves: { name: string; room: string };
  books: { id: string; shelf: string; title: string; pages: number | null; lines: number | null };
};

export const linesPerPage = 30;

export const library: Layout<Library> = {
  program: 'Library',
  migrations: [
    {
      version: 1,
      name: 'shelves',
      apply: async (queries, { text, integer, options }) => {
        await queries.schema
          .createTable('counts')
          .addColumn('id', integer, column => column.primaryKey().notNull())
          .addColumn('count', integer, column => column.notNull())
          .modifyEnd(options)
          .execute();
        await queries.schema
          .createTable('shelves')
          .addColumn('name', text, column => column.primaryKey().notNull())
          .addColumn('room', text, column => column.notNull())
          .modifyEnd(options)
          .execute();
        await queries.insertInto('counts').values({ id: 1, count: 0 }).execute();
      },
    },
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
  unsaved: [],
  tables: [
    { table: 'counts', key: ['id'], columns: ['id', 'count'], isSeeded: true },
    { table: 'shelves', key: ['name'], columns: ['name', 'room'] },
    { table: 'books', key: ['id'], columns: ['id', 'shelf', 'title', 'pages', 'lines'] },
  ],
};

export function sampleBook(changes: Partial<Library['books']> = {}): Library['books'] {
  return { id: 'book', shelf: 'first', title: 'A book', pages: 10, lines: 300, ...changes };
}
