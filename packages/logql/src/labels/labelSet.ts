/** The labels of a line on its way through the stages, and where each comes from. */

/** The later ones go before the earlier ones where names are the same. */
type Category = 'stream' | 'metadata' | 'parsed';

export type Label = readonly [name: string, value: string];

/** A line as stages see it. Names are such that labels can have. */
export type Line = {
  readonly micros: number;
  readonly text: string;
  readonly stream: readonly Label[];
  readonly metadata: readonly Label[];
};

export const errorLabel = '__error__';
export const detailsLabel = '__error_details__';
const duplicateSuffix = '_extracted';

type Changed = { readonly category: Category; readonly value: string };

/** The labels that a line came with stay where they are: most lines are left out before anything is made of them. */
export class LabelSet {
  readonly #stream: readonly Label[];
  readonly #line: Line;
  /** null: nobody asked for it. */
  #ownMetadata: readonly Label[] | null = null;
  readonly #changed = new Map<string, Changed>();
  readonly #deleted = new Set<string>();
  readonly #aliases: ReadonlyMap<string, string>;
  error = '';
  details = '';
  isParserError = false;

  /** Aliases are names that mean another label where there is none of their own. */
  constructor(line: Line, aliases: ReadonlyMap<string, string>) {
    this.#stream = line.stream;
    this.#line = line;
    this.#aliases = aliases;
  }

  get #metadata(): readonly Label[] {
    this.#ownMetadata ??= this.#readMetadata();
    return this.#ownMetadata;
  }

  #readMetadata(): readonly Label[] {
    const { metadata } = this.#line;
    const isApart = metadata.every(([name]) => this.nameApart(name) === name);
    return isApart ? metadata : this.#nameAllApart(metadata);
  }

  #nameAllApart(metadata: readonly Label[]): Label[] {
    return [...new Map(metadata.map(([name, value]) => [this.nameApart(name), value]))];
  }

  /** The name, or one beside it where the stream has a label of this name. */
  nameApart(name: string): string {
    return findLabel(this.#stream, name) === undefined ? name : name + duplicateSuffix;
  }

  get(name: string): string | undefined {
    if (name === errorLabel) return this.error === '' ? undefined : this.error;
    if (name === detailsLabel) return this.details === '' ? undefined : this.details;
    const own = this.#find(name);
    if (own !== null) return own.value;
    const alias = this.#aliases.get(name);
    return alias === undefined ? undefined : this.#find(alias)?.value;
  }

  /** Labels for a template, also under the other names that it reads. */
  listFor(fields: Iterable<string>): Record<string, string> {
    const values: Record<string, string> = Object.fromEntries(this.list());
    for (const name of fields) {
      const value = values[name] ?? this.get(name);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  /** Where the label comes from; null if there is none of this name. */
  categoryOf(name: string): Category | null {
    return (this.#find(name) ?? this.#find(this.#aliases.get(name) ?? name))?.category ?? null;
  }

  isParsed(name: string): boolean {
    return this.#changed.get(name)?.category === 'parsed';
  }

  set(category: Category, name: string, value: string): void {
    this.#changed.set(name, { category, value });
  }

  delete(name: string): void {
    this.#changed.delete(name);
    this.#deleted.add(name);
  }

  fail(error: string, details: string): void {
    this.error = error;
    this.details = details;
  }

  /** Records the error of a parser. Such errors may be counted by the caller. */
  failParsing(error: string, details: string): void {
    this.fail(error, details);
    this.isParserError = true;
  }

  /** With the error, if there is one. */
  list(category: Category | null = null): Label[] {
    const labels: Label[] = [];
    const add = (name: string, own: Changed | undefined) => {
      if (own !== undefined && (category === null || own.category === category))
        labels.push([name, own.value]);
    };
    for (const [name, value] of this.#stream) add(name, this.#findHere(name, 'stream', value));
    for (const [name, value] of this.#metadata) add(name, this.#findHere(name, 'metadata', value));
    for (const [name, own] of this.#changed) if (!this.#isInPlace(name)) add(name, own);
    if (category === null || category === 'parsed') {
      if (this.error !== '') labels.push([errorLabel, this.error]);
      if (this.details !== '') labels.push([detailsLabel, this.details]);
    }
    return labels;
  }

  /** The label as it came with the line, or as it was changed; undefined if it is gone or moved to the end. */
  #findHere(name: string, category: Category, value: string): Changed | undefined {
    return this.#deleted.has(name) ? undefined : (this.#changed.get(name) ?? { category, value });
  }

  /** Whether it stands where a label of this name stood from the beginning. */
  #isInPlace(name: string): boolean {
    if (this.#deleted.has(name)) return false;
    return (findLabel(this.#stream, name) ?? findLabel(this.#metadata, name)) !== undefined;
  }

  #find(name: string): Changed | null {
    const changed = this.#changed.get(name);
    if (changed !== undefined) return changed;
    if (this.#deleted.has(name)) return null;
    const ofStream = findLabel(this.#stream, name);
    if (ofStream !== undefined) return { category: 'stream', value: ofStream };
    const ofEntry = findLabel(this.#metadata, name);
    return ofEntry === undefined ? null : { category: 'metadata', value: ofEntry };
  }
}

/** A line has few: looking through them is faster than a Map of them. */
function findLabel(labels: readonly Label[], name: string): string | undefined {
  for (const label of labels) if (label[0] === name) return label[1];
  return undefined;
}
