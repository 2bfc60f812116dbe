/** Describes columns: the value in the database, and the value that programs read and write. */

/** `null`: called as its column, in camel case; `false`: no value of the program. */
export type ValueName = string | null | false;

type Reference = { target: `${string}.${string}`; onDelete?: 'cascade'; onUpdate?: 'cascade' };

/** How values differ from what is kept; null is kept as null. */
type Codec = { encode: (value: unknown) => unknown; decode: (stored: unknown) => unknown };

/** `Stored` is what rows hold, `Value` what the program has. */
export type Column<Stored, Value = Stored, Name extends ValueName = null> = {
  readonly type: 'text' | 'integer';
  readonly isKey?: boolean;
  readonly isUnique?: boolean;
  readonly isOptional?: boolean;
  readonly initially?: string | number;
  readonly refersTo?: Reference;
  readonly codec?: Codec;
  readonly valueName?: Name;
  /** Never there: they carry the types. */
  readonly stored?: Stored;
  readonly value?: Value;
};

export const text: Column<string> = { type: 'text' };
export const integer: Column<number> = { type: 'integer' };

/** One of a few words. */
export function word<Words extends string>(): Column<Words> {
  return { type: 'text' };
}

export const flag: Column<0 | 1, boolean> = {
  type: 'integer',
  codec: { encode: value => (value === true ? 1 : 0), decode: stored => stored === 1 },
};

/** Nothing else writes the column, so what is read is of the type that was written. */
export function json<Value>(): Column<string, Value> {
  return { type: 'text', codec: { encode: JSON.stringify, decode: stored => JSON.parse(String(stored)) } };
}

/** Bytes as hexadecimal digits. */
export const hex: Column<string, Buffer> = {
  type: 'text',
  codec: {
    encode: value => (value as Buffer).toString('hex'), // the type of the column's values
    decode: stored => Buffer.from(String(stored), 'hex'),
  },
};

/** Seconds as whole milliseconds. */
export const seconds: Column<number> = {
  type: 'integer',
  codec: { encode: value => Math.round(Number(value) * 1000), decode: stored => Number(stored) / 1000 },
};

/** Alone, or one of several that are the key in their order. */
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

/** For rows that say nothing of it. */
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

/** Called otherwise in the program. */
export function named<Stored, Value, const Name extends string>(
  valueName: Name,
  column: Column<Stored, Value, null>,
): Column<Stored, Value, Name> {
  return { ...column, valueName };
}

/** For queries alone. */
export function internal<Stored, Value>(column: Column<Stored, Value, null>): Column<Stored, Value, false> {
  return { ...column, valueName: false };
}
