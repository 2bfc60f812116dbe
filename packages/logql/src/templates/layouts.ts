/** Reads the layouts of `printf`: flags, width, precision and verb, in Go's order. */
import type { Value } from './values.ts';

export type Directive = {
  flags: string;
  /** 0: none. */
  width: number;
  precision: number | null;
  verb: string;
};

const widthMax = 1_000;
const precisionMax = 100;
const flagSigns = '-+# 0';

/** Walks through a layout and the values that it names. */
export class LayoutReading {
  readonly #layout: string;
  readonly #values: readonly Value[];
  #at = 0;
  #place = 0;
  /** An index such as `[2]` chose a value, so Go no longer counts the others. */
  #isReordered = false;
  #isIndexWrong = false;

  constructor(layout: string, values: readonly Value[]) {
    this.#layout = layout;
    this.#values = values;
  }

  /** Returns the values that the layout did not use. */
  get rest(): readonly Value[] {
    return this.#isReordered ? [] : this.#values.slice(this.#place);
  }

  /** Returns the text up to the next directive. */
  takeText(): string {
    const found = this.#layout.indexOf('%', this.#at);
    const end = found === -1 ? this.#layout.length : found;
    const text = this.#layout.slice(this.#at, end);
    this.#at = end + 1;
    return text;
  }

  get isAtEnd(): boolean {
    return this.#at > this.#layout.length;
  }

  /** Formats the next directive, or writes what is wrong with it. */
  takeDirective(format: (value: Value, directive: Directive) => string): string {
    this.#isIndexWrong = false;
    let flags = '';
    while (this.#sign !== '' && flagSigns.includes(this.#sign)) flags += this.#take();
    this.#takeIndex();
    const width = this.#takeSize('%!(BADWIDTH)');
    if (width.size !== null && width.size < 0) flags += '-';
    let mistakes = width.mistake;
    let precision: number | null = null;
    if (this.#sign === '.') {
      this.#at++;
      this.#takeIndex();
      const read = this.#takeSize('%!(BADPREC)');
      mistakes += read.mistake;
      const isUsable = read.mistake === '' && (read.size ?? 0) >= 0;
      precision = isUsable ? Math.min(read.size ?? 0, precisionMax) : null;
      if (!isUsable && read.mistake === '') mistakes += '%!(BADPREC)';
    }
    this.#takeIndex();
    if (this.#at >= this.#layout.length) {
      this.#at = this.#layout.length + 1;
      return `${mistakes}%!(NOVERB)`;
    }
    const verb = String.fromCodePoint(this.#layout.codePointAt(this.#at) ?? 0);
    this.#at += verb.length;
    if (verb === '%') return `${mistakes}%`;
    if (this.#isIndexWrong) return `${mistakes}%!${verb}(BADINDEX)`;
    const value = this.#values[this.#place];
    if (value === undefined) return `${mistakes}%!${verb}(MISSING)`;
    this.#place++;
    const directive = { flags, width: Math.min(Math.abs(width.size ?? 0), widthMax), precision, verb };
    return mistakes + format(value, directive);
  }

  get #sign(): string {
    return this.#layout[this.#at] ?? '';
  }

  #take(): string {
    return this.#layout[this.#at++] ?? '';
  }

  /** Reads `[2]`: the next value is the second. */
  #takeIndex(): void {
    if (this.#sign !== '[') return;
    this.#isReordered = true;
    const [whole, digits] = /^\[(\d{1,6})\]/.exec(this.#layout.slice(this.#at, this.#at + 8)) ?? [];
    const index = Number(digits ?? 0);
    const isKnown = index >= 1 && index <= this.#values.length;
    if (isKnown) this.#place = index - 1;
    else this.#isIndexWrong = true;
    const close = this.#layout.indexOf(']', this.#at);
    this.#at += whole?.length ?? (close === -1 ? 1 : close + 1 - this.#at);
  }

  /** Reads digits, or `*` for the next value. */
  #takeSize(mistake: string): { size: number | null; mistake: string } {
    if (this.#sign !== '*') {
      let digits = '';
      while (/^\d$/.test(this.#sign)) digits += this.#take();
      return { size: digits === '' ? null : Number(digits), mistake: '' };
    }
    this.#at++;
    const value = this.#values[this.#place];
    if (value !== undefined) this.#place++;
    const isSize = typeof value === 'bigint' && value >= -1_000_000n && value <= 1_000_000n;
    return isSize ? { size: Number(value), mistake: '' } : { size: null, mistake };
  }
}
