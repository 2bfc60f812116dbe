/** Cases for mirroring a database while it changes. */
import assert from 'node:assert/strict';
import { type Library, library, sampleBook } from '../../samples/library.ts';
import {
  compareRows,
  type Database,
  describeTable,
  integer,
  key,
  type Layout,
  mirrorRows,
  openDatabase,
  type SchemaOf,
  text,
  unique,
} from '../../src/index.ts';
import type { Adapter, ConformanceCase } from './cases.ts';
import { fillLibrary } from './rowCases.ts';

const unsaved = [
  describeTable('loans', { reader: key(text), book: key(text) }),
  describeTable('cards', { id: key(text), number: unique(integer) }),
  describeTable('visits', { reader: key(text), day: key(integer) }),
] as const;

type Lending = Library & SchemaOf<typeof unsaved>;

/** Adds tables that no backup holds: one with only key columns, one with unique numbers, one whose key has a number. */
const lending: Layout<Lending> = {
  program: library.program,
  oldestVersion: 1,
  migrations: [],
  tables: library.tables,
  unsaved,
};

type Mirror = AsyncDisposable & { from: Database<Lending>; to: Database<Lending> };

async function openMirror(adapter: Adapter): Promise<Mirror> {
  await using opened = new AsyncDisposableStack();
  const open = async () => {
    const { place } = opened.use(await adapter.createEmpty());
    return opened.use(await openDatabase(place, lending));
  };
  const [from, to] = [await open(), await open()];
  const running = opened.move();
  return { from, to, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** In SQL's byte order, which differs from JavaScript's. */
const readers = ['😀', '\uffff', 'ä', 'a', 'Z', 'b'];

const visitDays = 700; // more than a page

async function fillLending(database: Database<Lending>): Promise<void> {
  await fillLibrary(database as unknown as Database<Library>); // the layout includes its tables
  await database.transact(async queries => {
    for (const reader of readers) {
      const loans = Array.from({ length: 600 }, (_, index) => ({ reader, book: `book${index}` }));
      await queries.insertInto('loans').values(loans).execute();
    }
    const visits = Array.from({ length: visitDays }, (_, day) => ({ reader: 'a', day }));
    await queries.insertInto('visits').values(visits).execute();
  });
}

export const mirrorCases: readonly ConformanceCase[] = [
  {
    title: 'copies everything to an empty database, and then only changes',
    run: async ({ adapter }) => {
      await using mirror = await openMirror(adapter);
      const { from, to } = mirror;
      await fillLending(from);
      const rows = 1 + 3 + 1234 + readers.length * 600 + visitDays;
      let seen = 0;
      const first = await mirrorRows(mirror, lending, () => {
        seen += 1;
      });
      assert.deepEqual([first.rows, first.removed, first.written], [rows, 0, rows]);
      assert.equal(seen, rows);
      await compareRows(mirror, lending);
      assert.deepEqual(await mirrorRows(mirror, lending), { rows, removed: 0, written: 0 });

      await from.transact(async queries => {
        await queries.deleteFrom('loans').where('reader', '=', 'ä').execute();
        await queries.deleteFrom('visits').where('day', '>=', 9).where('day', '<', 609).execute();
        await queries.deleteFrom('books').where('shelf', '=', 'first').where('id', '<', 'book2').execute();
        await queries.updateTable('books').set({ title: 'other' }).where('id', '=', 'book77').execute();
        await queries.insertInto('shelves').values({ name: 'new', room: '' }).execute();
        await queries
          .insertInto('books')
          .values(sampleBook({ id: 'x', shelf: 'new', lines: null }))
          .execute();
        await queries.updateTable('counts').set({ count: 5 }).execute();
      });
      const again = await mirrorRows(mirror, lending);
      assert.equal(again.written, 4);
      assert.ok(again.removed > 1200);
      await compareRows(mirror, lending);
      const shelves = ({ reading }: Database<Lending>) =>
        reading.selectFrom('shelves').selectAll().orderBy('name').execute();
      assert.deepEqual(await shelves(to), await shelves(from));
    },
  },
  {
    title: 'exchanges rows that swapped unique values',
    run: async ({ adapter }) => {
      await using mirror = await openMirror(adapter);
      const { from } = mirror;
      await from.transact(async queries => {
        const cards = [1, 2].map(number => ({ id: `card${number}`, number }));
        await queries.insertInto('cards').values(cards).execute();
      });
      await mirrorRows(mirror, lending);
      await from.transact(async queries => {
        const give = (id: string, number: number) =>
          queries.updateTable('cards').set({ number }).where('id', '=', id).execute();
        await give('card1', 3);
        await give('card2', 1);
        await give('card1', 2);
      });
      await mirrorRows(mirror, lending);
      await compareRows(mirror, lending);
    },
  },
  {
    title: 'detects an independently changed copy, which the next mirroring repairs',
    run: async ({ adapter }) => {
      await using mirror = await openMirror(adapter);
      await fillLending(mirror.from);
      await mirrorRows(mirror, lending);
      await mirror.to.transact(async queries => {
        await queries.updateTable('books').set({ pages: 4711 }).where('id', '=', 'book4').execute();
        await queries.insertInto('loans').values({ reader: 'c', book: 'nobody' }).execute();
      });
      await assert.rejects(compareRows(mirror, lending), {
        code: 'unavailable',
        message: /^The copy of the table books differs from the original: 1234 rows \(\w+\) became 1234 rows/,
      });
      const { removed, written } = await mirrorRows(mirror, lending);
      assert.deepEqual([removed, written], [1, 1]);
      await compareRows(mirror, lending);
    },
  },
];
