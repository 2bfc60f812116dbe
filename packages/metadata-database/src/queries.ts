/**
 * Binds Kysely's query builders to our own connections, and restricts queries. Also compiles frequent batches once as templates and fills
 * in values per call, because composing takes longer than running.
 */
import {
  type Compilable,
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type DialectAdapter,
  type Driver,
  Kysely,
  type Dialect as KyselyDialect,
  type KyselyPlugin,
  type QueryCompiler,
} from 'kysely';
import type { BatchQuery } from './database.ts';
import { DatabaseFailure } from './failures.ts';

export type DialectWords = { dialect: KyselyDialect; compiler: QueryCompiler; adapter: DialectAdapter };

export function bindQueries<Schema>(
  words: DialectWords,
  provider: ConnectionProvider,
  plugins: KyselyPlugin[] = [],
): Kysely<Schema> {
  const executor = new DefaultQueryExecutor(words.compiler, words.adapter, provider, plugins);
  return new Kysely<Schema>({
    config: { dialect: words.dialect },
    driver: noDriver,
    dialect: words.dialect,
    executor,
  });
}

/** Builds queries that are compiled and run elsewhere. */
export function bindComposing<Schema>(words: DialectWords): Kysely<Schema> {
  const refuse = () => Promise.reject(new Error('A batch is only composed.'));
  return bindQueries(words, { provideConnection: refuse });
}

/** `Database.transact` handles transactions. It knows time limits and group commit. */
const noDriver: Driver = {
  init: async () => undefined,
  acquireConnection: () => refuseDirectTransaction(),
  beginTransaction: () => refuseDirectTransaction(),
  commitTransaction: () => refuseDirectTransaction(),
  rollbackTransaction: () => refuseDirectTransaction(),
  releaseConnection: () => refuseDirectTransaction(),
  destroy: async () => undefined,
};

function refuseDirectTransaction(): Promise<never> {
  return Promise.reject(new Error('Transactions are opened by Database.transact alone.'));
}

/** Keeps writes out of `Database.reading`, which would acknowledge them without a transaction. */
export const readingOnly: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind === 'SelectQueryNode') return node;
    throw new Error('A read cannot write: use a transaction.');
  },
  transformResult: async ({ result }) => result,
};

/** PostgreSQL can't store NUL in text, so SQLite doesn't take it either. */
export function refuseNul(parameters: CompiledQuery['parameters']): void {
  for (const parameter of parameters) {
    if (typeof parameter === 'string' && parameter.includes('\0')) {
      throw new DatabaseFailure('invalid_field', 'Text must not contain the NUL character.');
    }
  }
}

/** Marks where a value goes. Query builders take the placeholder for the value itself. */
export type Bind<Values> = <Value>(read: (values: Values) => Value) => Value;

/** Binds each column of the `row` value. */
export function bindRow<Row extends object>(bind: Bind<{ row: Row }>, columns: readonly string[]): Row {
  // The caller names the columns of the row.
  const bound = (columns as readonly (keyof Row)[]).map(column => [column, bind(({ row }) => row[column])]);
  return Object.fromEntries(bound) as Row; // built from every column, as above
}

/** A batch template for one database. It keeps the compiled statements. */
export type BatchTemplate<Schema, Values> = (
  queries: Kysely<Schema>,
  values: Values,
) => readonly BatchQuery[];

export function makeBatchTemplate<Schema, Values>(
  compose: (queries: Kysely<Schema>, bind: Bind<Values>) => readonly BatchQuery[],
): BatchTemplate<Schema, Values> {
  let compiled: readonly CompiledBatchQuery[] | null = null;
  return (queries, values) => {
    compiled ??= compose(queries, bindSlot).map(compileQuery);
    return compiled.map(({ query, ...rest }) => ({ ...rest, query: fill(query, values) }));
  };
}

type CompiledBatchQuery = Omit<BatchQuery, 'query'> & { query: CompiledQuery };

function compileQuery({ query, ...rest }: BatchQuery): CompiledBatchQuery {
  return { ...rest, query: query.compile() };
}

/** A placeholder among a query's parameters, until values replace it. */
class Slot {
  readonly read: (values: never) => unknown;

  constructor(read: (values: never) => unknown) {
    this.read = read;
  }
}

function bindSlot<Value>(read: (values: never) => Value): Value {
  return new Slot(read) as Value; // a value replaces it before anything reads it
}

function fill(query: CompiledQuery, values: unknown): Compilable<unknown> {
  const parameters = query.parameters.map(parameter =>
    // Slots were bound for this template's value type.
    parameter instanceof Slot ? parameter.read(values as never) : parameter,
  );
  return { compile: () => ({ ...query, parameters }) };
}
