/** Describes columns: the value that the database stores, and the value that programs read and write. */

/** `null`: the column's name in camel case. `false`: programs don't see this column. */
export type ValueName = string | null | false;

type Reference = { target: `${string}.${string}`; onDelete?: 'cascade'; onUpdate?: 'cascade' };

/** Converts values to and from the database. null stays null. */
type Codec = { encode: (value: unknown) => unknown; decode: (stored: unknown) => unknown };

/** `Stored` is the type in rows, `Value` the type in the program. */
export type Column<Stored, Value = Stored, Name extends ValueName = null> = {
  readonly type: 'text' | 'integer';
  readonly isKey?: boolean;
  readonly isUnique?: boolean;
  readonly isOptional?: boolean;
  readonly initially?: string | number;
  readonly refersTo?: Reference;
  readonly codec?: Codec;
  readonly valueName?: Name;
  /** These only carry types and are never set. */
  readonly stored?: Stored;
  readonly value?: Value;
};

export const text: Column<string> = { type: 'text' };
export const integer: Column<number> = { type: 'integer' };

/** Holds one of a few words. */
export function word<Words extends string>(): Column<Words> {
  return { type: 'text' };
}

export const flag: Column<0 | 1, boolean> = {
  type: 'integer',
  codec: { encode: Number, decode: stored => stored === 1 },
};

/** Only this codec writes the column, so it reads back the type that it wrote. */
export function json<Value>(): Column<string, Value> {
  return { type: 'text', codec: { encode: JSON.stringify, decode: stored => JSON.parse(String(stored)) } };
}

/** Stores bytes as hexadecimal digits. */
export const hex: Column<string, Buffer> = {
  type: 'text',
  codec: {
    encode: value => (value as Buffer).toString('hex'), // the type of the column's values
    decode: stored => Buffer.from(String(stored), 'hex'),
  },
};

/** Stores seconds as whole milliseconds. */
export const seconds: Column<number> = {
  type: 'integer',
  codec: { encode: value => Math.round(Number(value) * 1000), decode: stored => Number(stored) / 1000 },
};

/** Several key columns form the key in their order. */
export function key<Stored, Value, Name extends ValueName>(
  column: Column<Stored, Value, Name>,
): Column<Stored, Value, Name> {
  return { ...column, isKey: true };
}

export function unique<Stored, Value, Name extends ValueName>(
  column: Column<Stored, Value, Name>,
): Column<Stored, Value, Name> {
  return { ...column, isUnique: true };
}

export function optional<Stored, Value, Name extends ValueName>(
  column: Column<Stored, Value, Name>,
): Column<Stored | null, Value | null, Name> {
  return { ...column, isOptional: true };
}

/** The default for inserts that leave the column out. */
export function initially<Stored extends string | number, Value, Name extends ValueName>(
  value: Stored,
  column: Column<Stored, Value, Name>,
): Column<Stored, Value, Name> {
  return { ...column, initially: value };
}

export function refersTo(
  target: Reference['target'],
  changes: Omit<Reference, 'target'> = {},
): Column<string> {
  return { ...text, refersTo: { target, ...changes } };
}

/** Gives the column another name in the program. */
export function named<Stored, Value, const Name extends string>(
  valueName: Name,
  column: Column<Stored, Value, null>,
): Column<Stored, Value, Name> {
  return { ...column, valueName };
}

/** Only queries use the column. */
export function internal<Stored, Value>(column: Column<Stored, Value, null>): Column<Stored, Value, false> {
  return { ...column, valueName: false };
}
