/** The labels of a line on its way through the stages, and their origins. */

/** The origin of a label. If names collide, the later category wins. */
type Category = 'stream' | 'metadata' | 'parsed';

export type Label = readonly [name: string, value: string];

/** A line as stages see it. All names are valid label names. */
export type Line = {
  readonly micros: number;
  readonly text: string;
  readonly stream: readonly Label[];
  readonly metadata: readonly Label[];
};

export const errorLabel = '__error__';
export const detailsLabel = '__error_details__';
/** Follows the name of a label that has the name of a stream label. */
export const duplicateSuffix = '_extracted';

type Changed = { readonly category: Category; readonly value: string };

/** Keeps the original labels of a line and records changes. It copies nothing, because filters drop most lines anyway. */
export class LabelSet {
  readonly #stream: readonly Label[];
  readonly #line: Line;
  /** null: not read yet. */
  #ownMetadata: readonly Label[] | null = null;
  readonly #changed = new Map<string, Changed>();
  readonly #deleted = new Set<string>();
  readonly #aliases: ReadonlyMap<string, string>;
  error = '';
  details = '';
  isParserError = false;

  /** An alias means another label if the line has no label with the alias's name. */
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

  /** Returns the name, with a suffix if the stream has a label of this name. */
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

  /** Lists labels for a template, including the aliases that it reads. Leaves out the others unless `isWhole`. */
  listFor(fields: Iterable<string>, isWhole: boolean): Record<string, string> {
    const values: Record<string, string> = isWhole ? Object.fromEntries(this.list()) : {};
    for (const name of fields) {
      if (Object.hasOwn(values, name)) continue;
      const value = this.get(name);
      if (value === undefined) continue;
      // Assigning to `__proto__` would add nothing.
      if (name === '__proto__') Object.defineProperty(values, name, { value, enumerable: true });
      else values[name] = value;
    }
    return values;
  }

  /** Returns the origin of the label; null if it does not exist. */
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

  /** Records a parser's error. Callers may count such errors. */
  failParsing(error: string, details: string): void {
    this.fail(error, details);
    this.isParserError = true;
  }

  /** Lists the labels, including an error. */
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

  /** Returns the original label with its changes; undefined if it is gone or moved to the end. */
  #findHere(name: string, category: Category, value: string): Changed | undefined {
    return this.#deleted.has(name) ? undefined : (this.#changed.get(name) ?? { category, value });
  }

  /** Whether the label is still at its original place. */
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

/** Searches a list: a line has few labels, so this is faster than a Map. */
function findLabel(labels: readonly Label[], name: string): string | undefined {
  for (const label of labels) if (label[0] === name) return label[1];
  return undefined;
}
