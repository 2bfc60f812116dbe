/**
 * Kysely's builders on connections that are not Kysely's, what no query may do, and batches that run often: composed and compiled once,
 * filled with values each time. Composing takes longer than running.
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

/** For queries that are compiled and run elsewhere. */
export function bindComposing<Schema>(words: DialectWords): Kysely<Schema> {
  const refuse = () => Promise.reject(new Error('A batch is only composed.'));
  return bindQueries(words, { provideConnection: refuse });
}

/** Transactions are the business of `Database.transact`, which knows time limits and group commit. */
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

/** Keeps writes out of `Database.reading`: they would be acknowledged without a transaction. */
export const readingOnly: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind === 'SelectQueryNode') return node;
    throw new Error('Reading refuses to write: use a transaction.');
  },
  transformResult: async ({ result }) => result,
};

/** PostgreSQL cannot hold NUL in text, so neither dialect takes it. */
export function refuseNul(parameters: CompiledQuery['parameters']): void {
  for (const parameter of parameters) {
    if (typeof parameter === 'string' && parameter.includes('\0')) {
      throw new DatabaseFailure('invalid_field', 'Text must not hold the NUL character.');
    }
  }
}

/** Says where a value comes from; the builders of queries take what it gives for the value itself. */
export type Bind<Values> = <Value>(read: (values: Values) => Value) => Value;

/** Binds each column of the row that is among the values. */
export function bindRow<Row extends object>(bind: Bind<{ row: Row }>, columns: readonly string[]): Row {
  // The caller names the columns of the row.
  const bound = (columns as readonly (keyof Row)[]).map(column => [column, bind(({ row }) => row[column])]);
  return Object.fromEntries(bound) as Row; // column by column, as above
}

/** A template for one database, which keeps the compiled statement. */
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

/** Stands among the parameters of a query until there are values. */
class Slot {
  readonly read: (values: never) => unknown;

  constructor(read: (values: never) => unknown) {
    this.read = read;
  }
}

function bindSlot<Value>(read: (values: never) => Value): Value {
  return new Slot(read) as Value; // nobody looks at it before it has been replaced
}

function fill(query: CompiledQuery, values: unknown): Compilable<unknown> {
  const parameters = query.parameters.map(parameter =>
    // The slots of a template were bound for values of its type.
    parameter instanceof Slot ? parameter.read(values as never) : parameter,
  );
  return { compile: () => ({ ...query, parameters }) };
}
