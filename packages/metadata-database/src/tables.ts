/** Tables described once. The statements that make them, the types of rows, and the values of the program follow. */
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Column, ValueName } from './columns.ts';
import type { TableWords } from './layout.ts';

type Columns = Readonly<Record<string, Column<unknown, unknown, ValueName>>>;

/** By the column, or by more than one. */
type Index<Name> = readonly Name[] | { columns: readonly Name[]; isUnique?: boolean; where?: string };

/** Rows hold text, integers and null, so that they travel unchanged. The key gives the order, the columns are all there are. */
export type TableShape<Name extends string = string> = {
  readonly table: Name;
  readonly key: readonly string[];
  /** Those of the key, too. */
  readonly columns: readonly string[];
  /** A row that is there from the beginning: an import changes it. */
  readonly seed?: Readonly<Record<string, unknown>>;
};

type Description = {
  readonly described: Columns;
  readonly indexes: Readonly<Record<string, Index<string>>>;
};

/** A table without the types of its columns. */
export type DescribedTable<Name extends string = string> = TableShape<Name> & Description;

export type Table<Name extends string, C extends Columns> = DescribedTable<Name> & {
  /** The values of a row that has these columns, and may have more. */
  parse(row: Kept<C>): Values<C>;
  parseFound(row: Kept<C> | undefined): Values<C> | null;
  /** The row of these values; internal columns are added by the caller. */
  compose(values: Values<C>): Kept<C>;
  /** Carries the type of rows, and is never there. */
  readonly row?: Row<C>;
};

type Row<C> = {
  [Name in keyof C]: C[Name] extends Column<infer Stored, unknown, ValueName> ? Stored : never;
};

type Camel<Text> = Text extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Text;

/** What the program calls the column. */
type NameOf<Name, C> =
  C extends Column<unknown, unknown, infer Given>
    ? Given extends string
      ? Given
      : Given extends null
        ? Camel<Name>
        : never
    : never;

type Values<C> = {
  [Name in keyof C as NameOf<Name, C[Name]> & string]: C[Name] extends Column<unknown, infer Value, ValueName>
    ? Value
    : never;
};

/** A row without its internal columns. */
type Kept<C> = {
  [Name in keyof C as C[Name] extends Column<unknown, unknown, false> ? never : Name]: Row<C>[Name];
};

/** The rows of all tables by their names, as Kysely wants to know them. */
export type SchemaOf<Tables extends readonly DescribedTable[]> = {
  [T in Tables[number] as T['table']]: RowOf<T>;
};

export type RowOf<T> = T extends { readonly row?: infer R } ? NonNullable<R> : never;

export function describeTable<const Name extends string, const C extends Columns>(
  table: Name,
  described: C,
  indexes: Readonly<Record<string, Index<keyof C & string>>> = {},
): Table<Name, C> {
  const columns = Object.keys(described);
  const { parse, compose } = mapValues(described);
  return {
    ...{ table, columns, described, indexes },
    key: columns.filter(column => described[column]?.isKey),
    // By their description, the values are those of the columns.
    parse: row => parse(row) as Values<C>,
    parseFound: row => (row === undefined ? null : (parse(row) as Values<C>)),
    compose: values => compose(values) as Kept<C>,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function mapValues(described: Columns) {
  const fields = Object.entries(described)
    .filter(([, { valueName }]) => valueName !== false)
    .map(([column, { codec, valueName }]) => ({
      ...{ column, encode: codec?.encode, decode: codec?.decode },
      name: valueName || column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    }));
  return {
    parse: (row: Fields) => {
      const values: Record<string, unknown> = {};
      for (const { column, name, decode } of fields) {
        const stored = row[column] ?? null;
        values[name] = stored === null || decode === undefined ? stored : decode(stored);
      }
      return values;
    },
    compose: (values: Fields) => {
      const row: Record<string, unknown> = {};
      for (const { column, name, encode } of fields) {
        const value = values[name] ?? null;
        row[column] = value === null || encode === undefined ? value : encode(value);
      }
      return row;
    },
  };
}

/** In an empty database. Those that others refer to come first. */
export async function createTables<Schema>(
  queries: Kysely<Schema>,
  words: TableWords,
  tables: readonly DescribedTable[],
): Promise<void> {
  const statements = tables.flatMap(table => [
    composeTable(queries, words, table),
    ...Object.keys(table.indexes).map(name => composeIndex(table, name)),
    ...composeSeed(table),
  ]);
  // They run in this order; a hundred answers are awaited together.
  await Promise.all(statements.map(statement => queries.executeQuery(statement.compile(queries))));
}

function composeSeed({ table, seed }: DescribedTable) {
  if (seed === undefined) return [];
  const columns = sql.join(Object.keys(seed).map(column => sql.ref(column)));
  return [sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(seed))})`];
}

function composeTable<Schema>(
  { schema }: Kysely<Schema>,
  words: TableWords,
  { table, key, described }: DescribedTable,
) {
  let creation: CreateTableBuilder<string, string> = schema.createTable(table).modifyEnd(words.options);
  for (const [name, column] of Object.entries(described)) {
    creation = creation.addColumn(name, words[column.type], building => {
      let built = column.isOptional ? building : building.notNull();
      if (column.isKey && key.length === 1) built = built.primaryKey();
      if (column.isUnique) built = built.unique();
      if (column.initially !== undefined) built = built.defaultTo(column.initially);
      if (column.refersTo === undefined) return built;
      const { target, onDelete, onUpdate } = column.refersTo;
      built = built.references(target);
      if (onDelete !== undefined) built = built.onDelete(onDelete);
      return onUpdate === undefined ? built : built.onUpdate(onUpdate);
    });
  }
  return key.length === 1 ? creation : creation.addPrimaryKeyConstraint(`${table}_key`, [...key]);
}

function composeIndex({ table, indexes }: DescribedTable, name: string) {
  const described = indexes[name] ?? [];
  const { columns, isUnique = false, where } = 'columns' in described ? described : { columns: described };
  const listed = sql.join(columns.map(column => sql.ref(column)));
  return sql`create ${sql.raw(isUnique ? 'unique index' : 'index')} ${sql.ref(name)} on ${sql.table(table)} (${listed})
    ${sql.raw(where === undefined ? '' : `where ${where}`)}`;
}
