/** Batches that run often: composed and compiled once, filled with values each time. Composing takes longer than running. */
import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { BatchQuery } from './database.ts';

/** Says where a value comes from; the builders of queries take what it gives for the value itself. */
export type Bind<Values> = <Value>(read: (values: Values) => Value) => Value;

/** For one database: what it compiled stays. */
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
