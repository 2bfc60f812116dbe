/** Collects an entry's own and shared fields. Takes out known fields; the rest becomes metadata. */
import { entryLimits, type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import type { Wording } from './sentEntry.ts';

const prefixesMax = 64; // a name with more prefixes is longer than a key may be

/** Collects the fields of all entries of a body with one object. It knows the requested names in advance, so the rest becomes metadata at once. */
export class Fields {
  readonly #places: ReadonlyMap<string, number>;
  /** All names that a reader looks up. */
  readonly names: readonly string[];
  /** Values of the requested names, by place. */
  readonly #held: unknown[];
  #metadata: Record<string, unknown> = {};

  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)];
    this.#places = new Map(this.names.map((name, place) => [name, place]));
    this.#held = this.names.map(() => undefined);
  }

  begin(): void {
    this.#metadata = {};
    this.#held.fill(undefined);
  }

  set(name: string, value: unknown): void {
    const place = this.#places.get(name);
    if (place === undefined) setOwn(this.#metadata, name, value);
    else this.#held[place] = value;
  }

  setAll(object: Readonly<Record<string, unknown>>): void {
    for (const name in object) this.set(name, object[name]); // `object` is parsed JSON and inherits nothing
  }

  /** Returns the value but leaves it in place. */
  read(name: string): unknown {
    const place = this.#places.get(name);
    return place === undefined ? undefined : this.#held[place];
  }

  /** Returns undefined if there is none. */
  take(name: string): unknown {
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    const value = this.#held[place];
    this.#held[place] = undefined;
    return value;
  }

  /** Takes the first non-empty text of these names. The others stay. */
  takeText(names: readonly string[]): string | null {
    for (const name of names) {
      const value = this.read(name);
      if (typeof value !== 'string' || value === '') continue;
      this.take(name);
      return value;
    }
    return null;
  }

  /** Takes the first valid level of these names, in any usual spelling. Other words stay. */
  takeLevel(names: readonly string[], { levels }: Pick<Wording, 'levels'>): LogLevel | null {
    for (const name of names) {
      const level = readLevelSynonym(levels, this.read(name));
      if (level === null) continue;
      this.take(name);
      return level;
    }
    return null;
  }

  /** Takes the first value that `read` understands. */
  takeAs<Meaning>(names: readonly string[], read: (value: unknown) => Meaning | null): Meaning | null {
    for (const name of names) {
      const value = this.read(name);
      const meaning = value === undefined ? null : read(value);
      if (meaning === null) continue;
      this.take(name);
      return meaning;
    }
    return null;
  }

  /** Adds the value under its name. If the name is taken by another value, adds the prefix, so that no value is lost. */
  add(name: string, prefix: string, value: unknown): void {
    if (value !== undefined && this.#find(name) === value) return;
    let free = name;
    for (let prefixes = 0; this.#find(free) !== undefined && prefixes < prefixesMax; prefixes++)
      free = prefix + free;
    this.set(free, value);
  }

  toMetadata(): Record<string, unknown> {
    for (let place = 0; place < this.#held.length; place++) {
      const value = this.#held[place];
      if (value !== undefined) setOwn(this.#metadata, this.names[place]!, value);
    }
    return this.#metadata;
  }

  #find(name: string): unknown {
    const held = this.read(name);
    return held === undefined && Object.hasOwn(this.#metadata, name) ? this.#metadata[name] : held;
  }
}

export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The prefix applies if an entry has a field of the same name. */
export type Outer = readonly [name: string, prefix: string, value: unknown];

type Joined<Sorted> = { sorted: Sorted; metadata: Record<string, unknown> };

/**
 * Attributes that several entries share: labels of a stream, attributes of a resource. They are sorted once, and entries without fields of the same
 * names reuse the result.
 */
export class SharedAttributes<Sorted> {
  readonly #outer: readonly Outer[];
  readonly #fields: Fields;
  readonly #sort: (fields: Fields) => Sorted;
  readonly #sorted: Sorted;
  readonly #rest: readonly (readonly [string, unknown])[];
  /** Names that force an entry to be sorted separately. */
  readonly #clashing: Set<string>;

  /** `sort` takes out the fields that are not metadata. */
  constructor(outer: readonly Outer[], fields: Fields, sort: (fields: Fields) => Sorted) {
    // Keeps just enough to refuse too many attributes: a body may hold many names and many entries.
    const countMax = entryLimits.metadataLeavesMax + fields.names.length + 1;
    this.#outer = outer.filter(([, , value]) => !isEmpty(value)).slice(0, countMax);
    this.#fields = fields;
    this.#sort = sort;
    const { sorted, metadata } = this.#joinFields({});
    this.#sorted = sorted;
    this.#rest = Object.entries(metadata);
    this.#clashing = new Set([
      ...fields.names,
      ...this.#outer.map(([name]) => name),
      ...Object.keys(metadata),
    ]);
  }

  /** `own` takes precedence and becomes part of the metadata. */
  join(own: Record<string, unknown>): Joined<Sorted> {
    for (const name in own) if (this.#clashing.has(name)) return this.#joinFields(own);
    for (const [name, value] of this.#rest) setOwn(own, name, value);
    return { sorted: this.#sorted, metadata: own };
  }

  listClashing(): string[] {
    return [...this.#clashing];
  }

  #joinFields(own: Record<string, unknown>): Joined<Sorted> {
    const fields = this.#fields;
    fields.begin();
    fields.setAll(own);
    for (const [name, prefix, value] of this.#outer) fields.add(name, prefix, value);
    return { sorted: this.#sort(fields), metadata: fields.toMetadata() };
  }
}

/** Returns whether the value is an empty object or list, which adds no metadata. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
