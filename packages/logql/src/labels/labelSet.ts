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
/** A line whose label of this name is `true` counts in a metric query despite its error. */
export const preserveLabel = '__preserve_error__';
/** Follows the name of a label that has the name of a stream label. */
export const duplicateSuffix = '_extracted';

/** Keeps the original labels of a line and records changes. It copies nothing, because filters drop most lines anyway. */
export class LabelSet {
  readonly #stream: readonly Label[];
  readonly #line: Line;
  /** null: not read yet. */
  #ownMetadata: readonly Label[] | null = null;
  /** Set by parsers and stages. */
  readonly #changed = new Map<string, string>();
  readonly #deleted = new Set<string>();
  /** Labels from parsers that a stage removed. As in Loki, no parser sets them again. */
  #taken: Set<string> | null = null;
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
    const isApart = metadata.every(([name]) => !this.#isOfStream(name));
    return isApart ? metadata : this.#nameAllApart(metadata);
  }

  #nameAllApart(metadata: readonly Label[]): Label[] {
    return [
      ...new Map(
        metadata.map(([name, value]) => [this.#isOfStream(name) ? name + duplicateSuffix : name, value]),
      ),
    ];
  }

  #isOfStream(name: string): boolean {
    return findLabel(this.#stream, name) !== undefined;
  }

  /** Whether the label comes from metadata, and no stage has changed or removed it. */
  #isOfMetadata(name: string): boolean {
    if (this.#deleted.has(name) || this.#changed.has(name)) return false;
    return findLabel(this.#metadata, name) !== undefined;
  }

  /** Returns the name that a parser's label gets: with a suffix if the stream has a label of this name, or metadata still have one. */
  nameApart(name: string): string {
    return this.#isOfStream(name) || this.#isOfMetadata(name) ? name + duplicateSuffix : name;
  }

  /** Returns what a template reads: errors count, too. */
  get(name: string): string | undefined {
    if (name === errorLabel && this.error !== '') return this.error;
    if (name === detailsLabel && this.details !== '') return this.details;
    return this.getOwn(name);
  }

  /** Returns the value of a label, but no error: as in Loki, filters and new names do not see errors as labels. */
  getOwn(name: string): string | undefined {
    const own = this.#find(name);
    if (own !== undefined) return own;
    const alias = this.#aliases.get(name);
    return alias === undefined ? undefined : this.#find(alias);
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

  get isEmpty(): boolean {
    return this.list().length === 0;
  }

  isParsed(name: string): boolean {
    return this.#changed.has(name);
  }

  /** Whether a parser or a stage has set the label, even if another stage removed it. */
  isTaken(name: string): boolean {
    return this.isParsed(name) || (this.#taken?.has(name) ?? false);
  }

  set(name: string, value: string): void {
    this.#changed.set(name, value);
  }

  delete(name: string): void {
    if (this.#changed.delete(name)) {
      this.#taken ??= new Set();
      this.#taken.add(name);
    }
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
    const add = (name: string, value: string, origin: Category) => {
      if (name === detailsLabel && this.details !== '') return; // the error's details hide others
      if (category === null || origin === category) labels.push([name, value]);
    };
    const addHere = (name: string, value: string, origin: Category) => {
      if (this.#deleted.has(name)) return; // or moved to the end
      const changed = this.#changed.get(name);
      add(name, changed ?? value, changed === undefined ? origin : 'parsed');
    };
    for (const [name, value] of this.#stream) addHere(name, value, 'stream');
    for (const [name, value] of this.#metadata) addHere(name, value, 'metadata');
    for (const [name, value] of this.#changed) if (!this.#isInPlace(name)) add(name, value, 'parsed');
    if (category === null || category === 'parsed') {
      if (this.error !== '') labels.push([errorLabel, this.error]);
      if (this.details !== '') labels.push([detailsLabel, this.details]);
    }
    return labels;
  }

  /** Whether the label is still at its original place. */
  #isInPlace(name: string): boolean {
    if (this.#deleted.has(name)) return false;
    return (findLabel(this.#stream, name) ?? findLabel(this.#metadata, name)) !== undefined;
  }

  #find(name: string): string | undefined {
    const changed = this.#changed.get(name);
    if (changed !== undefined || this.#deleted.has(name)) return changed;
    return findLabel(this.#stream, name) ?? findLabel(this.#metadata, name);
  }
}

/** Searches a list: a line has few labels, so this is faster than a Map. */
function findLabel(labels: readonly Label[], name: string): string | undefined {
  for (const label of labels) if (label[0] === name) return label[1];
  return undefined;
}
