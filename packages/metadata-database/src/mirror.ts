/**
 * Makes the rows of one database equal to those of another, in any dialect, and compares them. It reads both in key order and writes
 * only the differences. So it can run repeatedly while the source is in use, and the last run is short.
 */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { ConstraintViolation, DatabaseFailure } from './failures.ts';
import type { Layout } from './layout.ts';
import { databaseLimits } from './limits.ts';
import { readTable, rowsPerInsert } from './rowTransfer.ts';
import type { TableShape } from './tables.ts';

type Row = Record<string, unknown>;

/** Counts the rows read and the changes written. */
export type MirroredRows = { rows: number; removed: number; written: number };

type Pair<Schema> = { from: Database<Schema>; to: Database<Schema> };
type Sides<Schema> = { from: Kysely<Schema>; to: Kysely<Schema> };

/** Copies from one snapshot of the source in one transaction of the target. Both must be at the layout's version. Calls `onRow` per row read. */
export async function mirrorRows<Schema>(
  { from, to }: Pair<Schema>,
  layout: Layout<Schema>,
  onRow: () => void = () => undefined,
): Promise<MirroredRows> {
  const mirror = (isAfresh: boolean) => {
    const work = async (queries: Kysely<Schema>) => {
      await using snapshot = await from.openSnapshot();
      return await mirrorTables({ from: snapshot.queries, to: queries }, layout, { isAfresh, onRow });
    };
    return to.transact(work, { timeLimitMs: databaseLimits.importMsMax, attemptsMax: 1 });
  };
  try {
    return await mirror(false);
  } catch (error) {
    // If two rows swapped a unique value, neither can be written first.
    if (!(error instanceof ConstraintViolation)) throw error;
    return await mirror(true);
  }
}

type Mirroring = { isAfresh: boolean; onRow: () => void };

async function mirrorTables<Schema>(
  sides: Sides<Schema>,
  { tables, unsaved }: Layout<Schema>,
  { isAfresh, onRow }: Mirroring,
): Promise<MirroredRows> {
  const shapes = [...tables, ...unsaved];
  const mirrored: MirroredRows = { rows: 0, removed: 0, written: 0 };
  // Referencing tables go first.
  for (const shape of shapes.toReversed()) {
    if (isAfresh) await sql`delete from ${sql.table(shape.table)}`.execute(sides.to);
    else mirrored.removed += await removeDeleted(sides, shape);
  }
  for (const shape of shapes) {
    let waiting: Row[] = [];
    const write = async () => {
      await putRows(sides.to, shape, waiting);
      mirrored.written += waiting.length;
      waiting = [];
    };
    for await (const { source, target } of align(sides, shape)) {
      if (source === null) throw new Error(`${shape.table} holds a row that was removed.`);
      mirrored.rows += 1;
      onRow();
      if (target !== null && writeRow(shape, source) === writeRow(shape, target)) continue;
      waiting.push(source);
      if (waiting.length >= rowsPerInsert) await write();
    }
    await write();
  }
  return mirrored;
}

async function removeDeleted<Schema>(sides: Sides<Schema>, shape: TableShape): Promise<number> {
  let removed = 0;
  let waiting: Row[] = [];
  const remove = async () => {
    await removeRows(sides.to, shape, waiting);
    removed += waiting.length;
    waiting = [];
  };
  for await (const { source, target } of align(sides, shape)) {
    if (source !== null || target === null) continue;
    waiting.push(target);
    if (waiting.length >= rowsPerInsert) await remove();
  }
  await remove();
  return removed;
}

type Aligned = { source: Row | null; target: Row | null };

/** Pairs the rows of both sides in key order. A missing row is null. */
async function* align<Schema>({ from, to }: Sides<Schema>, shape: TableShape): AsyncGenerator<Aligned> {
  const [sources, targets] = [readTable(from, shape), readTable(to, shape)];
  const next = async (rows: AsyncGenerator<Row>) => (await rows.next()).value as Row | undefined; // void at the end
  let [source, target] = [await next(sources), await next(targets)];
  while (source !== undefined || target !== undefined) {
    const order =
      source === undefined ? 1 : target === undefined ? -1 : compareKeys(shape, { source, target });
    yield {
      source: order <= 0 ? (source ?? null) : null,
      target: order >= 0 ? (target ?? null) : null,
    };
    if (order <= 0) source = await next(sources);
    if (order >= 0) target = await next(targets);
  }
}

/** Compares keys in the order of both dialects: numbers by value, texts by bytes. */
function compareKeys({ key }: TableShape, { source, target }: { source: Row; target: Row }): number {
  for (const column of key) {
    const [one, other] = [source[column], target[column]];
    if (one === other) continue;
    if (typeof one === 'number' && typeof other === 'number') return one - other;
    return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
  }
  return 0;
}

function writeRow({ columns }: TableShape, row: Row): string {
  return JSON.stringify(columns.map(column => row[column]));
}

async function putRows<Schema>(
  queries: Kysely<Schema>,
  { table, key, columns }: TableShape,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const list = (names: readonly string[]) => sql.join(names.map(name => sql.ref(name)));
  const values = rows.map(row => sql`(${sql.join(columns.map(column => row[column]))})`);
  const others = columns.filter(column => !key.includes(column));
  const sets = others.map(column => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`);
  const change = sets.length === 0 ? sql`do nothing` : sql`do update set ${sql.join(sets)}`;
  await sql`insert into ${sql.table(table)} (${list(columns)}) values ${sql.join(values)}
    on conflict (${list(key)}) ${change}`.execute(queries);
}

async function removeRows<Schema>(
  queries: Kysely<Schema>,
  { table, key }: TableShape,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  // Not `in (values …)`: PostgreSQL would take every parameter there for text, which no number equals.
  const equalsKey = (row: Row) => {
    const equalities = key.map(column => sql`${sql.ref(column)} = ${row[column]}`);
    return sql`(${sql.join(equalities, sql` and `)})`;
  };
  const condition = sql.join(rows.map(equalsKey), sql` or `);
  await sql`delete from ${sql.table(table)} where ${condition}`.execute(queries);
}

/** Rejects if any table differs in row count or content. */
export async function compareRows<Schema>(
  { from, to }: Pair<Schema>,
  { tables, unsaved }: Layout<Schema>,
): Promise<void> {
  await using source = await from.openSnapshot();
  await using target = await to.openSnapshot();
  for (const shape of [...tables, ...unsaved]) {
    const [one, other] = await Promise.all(
      [source, target].map(({ queries }) => digestTable(queries, shape)),
    );
    if (one === other) continue;
    const sentence = `The copy of the table ${shape.table} differs from the original: ${one} became ${other}. Copy again.`;
    throw new DatabaseFailure('unavailable', sentence);
  }
}

async function digestTable<Schema>(queries: Kysely<Schema>, shape: TableShape): Promise<string> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const row of readTable(queries, shape)) {
    hash.update(`${writeRow(shape, row)}\n`);
    rows += 1;
  }
  return `${rows} rows (${hash.digest('hex').slice(0, 16)})`;
}
