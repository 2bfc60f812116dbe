/** Collects the fields of an entry, its own and those that it shares: known fields are taken out, and the rest becomes metadata. */
import { entryLimits, type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import type { Wording } from './sentEntry.ts';

const prefixesMax = 64; // a name behind more of them is longer than a key may be

/** One object for all entries of a body. The names that are asked for are known before, so that the rest is metadata at once. */
export class Fields {
  readonly #places: ReadonlyMap<string, number>;
  /** All names that are ever looked up. */
  readonly names: readonly string[];
  /** Values of the requested names, by place. */
  readonly #held: unknown[];
  #metadata: Record<string, unknown> = {};

  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)];
    this.#places = new Map(this.names.map((name, place) => [name, place]));
    this.#held = this.names.map(() => undefined);
  }

  /** Clears the fields for the next entry. */
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
    for (const name in object) this.set(name, object[name]); // an object of JSON: nothing is inherited
  }

  /** It stays. */
  read(name: string): unknown {
    const place = this.#places.get(name);
    return place === undefined ? undefined : this.#held[place];
  }

  /** undefined when there is none. */
  take(name: string): unknown {
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    const value = this.#held[place];
    this.#held[place] = undefined;
    return value;
  }

  /** The first of these that holds a text; the others stay. Empty texts count as absent. */
  takeText(names: readonly string[]): string | null {
    for (const name of names) {
      const value = this.read(name);
      if (typeof value !== 'string' || value === '') continue;
      this.take(name);
      return value;
    }
    return null;
  }

  /** The first of these that is a level, in any usual word; a word that is none stays. */
  takeLevel(names: readonly string[], { levels }: Pick<Wording, 'levels'>): LogLevel | null {
    for (const name of names) {
      const level = readLevelSynonym(levels, this.read(name));
      if (level === null) continue;
      this.take(name);
      return level;
    }
    return null;
  }

  /** The first of these that is something to somebody. */
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

  /**
   * Under its name, or behind the prefix where there is one already, so that nothing is lost where two would meet. What
   * both say alike stands once.
   */
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

/** The prefix is for where an entry has such a name itself. */
export type Outer = readonly [name: string, prefix: string, value: unknown];

type Joined<Sorted> = { sorted: Sorted; metadata: Record<string, unknown> };

/** Attributes that several entries share: labels of a stream, attributes of a resource. They are sorted once: an entry that says nothing of the same names is joined with what came of that. */
export class SharedAttributes<Sorted> {
  readonly #outer: readonly Outer[];
  readonly #fields: Fields;
  readonly #sort: (fields: Fields) => Sorted;
  readonly #sorted: Sorted;
  readonly #rest: readonly (readonly [string, unknown])[];
  /** Names that an entry cannot have without being sorted by itself. */
  readonly #clashing: Set<string>;

  /** `sort` takes out of the fields what has a place of its own. */
  constructor(outer: readonly Outer[], fields: Fields, sort: (fields: Fields) => Sorted) {
    // What has more is refused, and by no more than this: a body may have room for lots of both names and entries.
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

  /** The entry's own names go first. They become part of the metadata. */
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

/** Holds no value, and so becomes none. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
