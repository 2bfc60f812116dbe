/** Describes tables once. Their statements, row types and program values follow from that. */
import { type CompiledQuery, type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Column, ValueName } from './columns.ts';

/** The SQL in which the dialects differ when they create tables. Text compares by bytes, so both sort alike. */
export type TableWords = {
  text: RawBuilder<unknown>;
  /** Holds every integer that JavaScript represents exactly. */
  integer: RawBuilder<unknown>;
  /** The end of a `create table`. */
  options: RawBuilder<unknown>;
};

type Columns = Readonly<Record<string, Column<unknown, unknown, ValueName>>>;

/** Columns of an index, alone or with options. */
type Index<Name> = readonly Name[] | { columns: readonly Name[]; isUnique?: boolean; where?: string };

/** Rows hold text, integers and null, so that they move unchanged between dialects. The key determines their order. */
export type TableShape<Name extends string = string> = {
  readonly table: Name;
  readonly key: readonly string[];
  /** All columns, including the key. */
  readonly columns: readonly string[];
  /** A row that every new database starts with. An import changes it. */
  readonly seed?: Readonly<Record<string, unknown>>;
};

type Description = {
  readonly described: Columns;
  readonly indexes: Readonly<Record<string, Index<string>>>;
};

/** A table without its column types. */
export type DescribedTable<Name extends string = string> = TableShape<Name> & Description;

type Table<Name extends string, C extends Columns> = DescribedTable<Name> & {
  /** Converts a row to values. The row may have further columns. */
  parse(row: Kept<C>): Values<C>;
  parseFound(row: Kept<C> | undefined): Values<C> | null;
  /** Converts values to a row. The caller adds internal columns. */
  compose(values: Values<C>): Kept<C>;
  /** For inserts that hit an existing key: refers to the values of that insert. */
  readonly excluded: Excluded<C>;
  /** Only carries the row type and is never set. */
  readonly row?: Row<C>;
};

type Row<C> = {
  [Name in keyof C]: C[Name] extends Column<infer Stored, unknown, ValueName> ? Stored : never;
};

type Camel<Text> = Text extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Text;

/** The program's name for the column. */
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

type Excluded<C> = { [Name in keyof C]?: RawBuilder<Row<C>[Name]> };

/** Row types by table name, in the form that Kysely expects. */
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
  const key = columns.filter(column => described[column]?.isKey);
  const others = columns.filter(column => !key.includes(column));
  const { parse, compose } = mapValues(described);
  return {
    table,
    key,
    columns,
    described,
    indexes,
    // Each column has its type.
    excluded: Object.fromEntries(
      others.map(column => [column, sql`${sql.ref(`excluded.${column}`)}`]),
    ) as Excluded<C>,
    // The description determines the types of the values.
    parse: row => parse(row) as Values<C>,
    parseFound: row => (row === undefined ? null : (parse(row) as Values<C>)),
    compose: values => compose(values) as Kept<C>,
  };
}

type Fields = Readonly<Record<string, unknown>>;

type Conversion = { from: string; to: string; convert: ((value: unknown) => unknown) | undefined };

function mapValues(described: Columns) {
  const fields = Object.entries(described)
    .filter(([, { valueName }]) => valueName !== false)
    .map(([column, { codec, valueName }]) => ({
      column,
      codec,
      name: valueName || column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    }));
  return {
    parse: buildMapping(
      fields.map(({ column, name, codec }) => ({ from: column, to: name, convert: codec?.decode })),
    ),
    compose: buildMapping(
      fields.map(({ column, name, codec }) => ({ from: name, to: column, convert: codec?.encode })),
    ),
  };
}

/**
 * Converts an object into another one, property by property. The function is compiled from source text at its first use, because a loop
 * over the properties takes seven times as long per row. Only names of our own tables get into that text.
 */
function buildMapping(conversions: readonly Conversion[]): (fields: Fields) => Fields {
  let mapping: ((fields: Fields) => Fields) | null = null;
  return fields => {
    mapping ??= compileMapping(conversions);
    return mapping(fields);
  };
}

function compileMapping(conversions: readonly Conversion[]): (fields: Fields) => Fields {
  const members = conversions.map(({ from, to, convert }, index) => {
    const value = `fields[${JSON.stringify(from)}] ?? null`;
    const written = convert === undefined ? value : `convert(${index}, ${value})`;
    return `${JSON.stringify(to)}: ${written}`;
  });
  const convert = (index: number, value: unknown) =>
    value === null ? null : conversions[index]?.convert?.(value);
  const compile = new Function('convert', `return fields => ({ ${members.join(', ')} });`);
  return compile(convert) as (fields: Fields) => Fields; // the signature of the text above
}

/** Caches the statements per dialect and table, because tests open many databases in one process. */
const composed = new Map<TableWords, WeakMap<DescribedTable, readonly CompiledQuery[]>>();

/** The database is empty. A table must come after the tables it references. */
export async function createTables<Schema>(
  queries: Kysely<Schema>,
  words: TableWords,
  tables: readonly DescribedTable[],
): Promise<void> {
  const known = composed.get(words) ?? new WeakMap<DescribedTable, readonly CompiledQuery[]>();
  composed.set(words, known);
  const statements = tables.flatMap(table => {
    const ofTable = known.get(table) ?? composeStatements(queries, words, table);
    known.set(table, ofTable);
    return ofTable;
  });
  // Runs them in order, but awaits the hundred answers together.
  await Promise.all(statements.map(statement => queries.executeQuery(statement)));
}

function composeStatements<Schema>(
  queries: Kysely<Schema>,
  words: TableWords,
  table: DescribedTable,
): CompiledQuery[] {
  const statements = [
    composeTable(queries, words, table),
    ...Object.keys(table.indexes).map(name => composeIndex(table, name)),
    ...composeSeed(table),
  ];
  return statements.map(statement => statement.compile(queries));
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
