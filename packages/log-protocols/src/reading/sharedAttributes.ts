/** Attributes that several entries share: labels of a stream, attributes of a resource. */
import { entryLimits } from '@tapedeck/log-entries';
import { type Fields, setOwn } from './fields.ts';

/** The prefix is for where an entry has such a name itself. */
export type Outer = readonly [name: string, prefix: string, value: unknown];

type Joined<Sorted> = { sorted: Sorted; metadata: Record<string, unknown> };

/** Sorts it once: an entry that says nothing of the same names is joined with what came of that. */
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
