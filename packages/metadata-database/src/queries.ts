/** Kysely's builders on connections that are not Kysely's, and what no query may do. */
import {
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
