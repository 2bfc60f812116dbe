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

export class LabelSet {
  readonly #values = new Map<string, string>();
  readonly #categories = new Map<string, Category>();
  readonly #stream: readonly Label[];
  readonly #aliases: ReadonlyMap<string, string>;
  error = '';
  details = '';
  isParserError = false;

  /** Aliases are names that mean another label where there is none of their own. */
  constructor({ stream, metadata }: Line, aliases: ReadonlyMap<string, string>) {
    this.#stream = stream;
    this.#aliases = aliases;
    for (const [name, value] of stream) this.#put('stream', name, value);
    for (const [name, value] of metadata) this.#put('metadata', this.nameApart(name), value);
  }

  /** The name, or one beside it where the stream has a label of this name. */
  nameApart(name: string): string {
    return this.#stream.some(([known]) => known === name) ? name + duplicateSuffix : name;
  }

  get(name: string): string | undefined {
    if (name === errorLabel) return this.error === '' ? undefined : this.error;
    if (name === detailsLabel) return this.details === '' ? undefined : this.details;
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    const alias = this.#aliases.get(name);
    return alias === undefined ? undefined : this.#values.get(alias);
  }

  /** As templates see them: those that they read are there under their other names, too. */
  listFor(fields: Iterable<string>): Record<string, string> {
    const values: Record<string, string> = Object.fromEntries(this.list());
    for (const name of fields) {
      const value = values[name] ?? this.get(name);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  isParsed(name: string): boolean {
    return this.#categories.get(name) === 'parsed';
  }

  set(category: Category, name: string, value: string): void {
    this.#put(category, name, value);
  }

  delete(name: string): void {
    this.#values.delete(name);
    this.#categories.delete(name);
  }

  fail(error: string, details: string): void {
    this.error = error;
    this.details = details;
  }

  /** Of a parser: such errors may be counted by who asks for them. */
  failParsing(error: string, details: string): void {
    this.fail(error, details);
    this.isParserError = true;
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  /** With the error, if there is one. */
  list(category: Category | null = null): Label[] {
    const labels: Label[] = [];
    for (const label of this.#values)
      if (category === null || this.#categories.get(label[0]) === category) labels.push(label);
    if (category === null || category === 'parsed') {
      if (this.error !== '') labels.push([errorLabel, this.error]);
      if (this.details !== '') labels.push([detailsLabel, this.details]);
    }
    return labels;
  }

  #put(category: Category, name: string, value: string): void {
    this.#values.set(name, value);
    this.#categories.set(name, category);
  }
}
