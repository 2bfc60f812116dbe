/**
 * Parses rows of megabytes in turns. An entry may hold four megabytes of letters that need escapes: parsing twenty-five megabytes of them at once
 * would block the event loop for a tenth of a second.
 */
import { takeTurns } from '@tapedeck/concurrency/turns';

export const briefRowCharactersMax = 512 * 1024; // parsed at once in a few milliseconds

/** Parses a line of JSON as the engine writes it. */
export async function parseLongRow(line: string): Promise<unknown> {
  return new LongRow(line).read();
}

const quote = '"';
const scalar = /[^\s,\]}]+/y;
const blanks = /\s*/y;

class LongRow {
  readonly #text: string;
  readonly #takeTurn = takeTurns(1);
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  async read(): Promise<unknown> {
    const first = this.#peek();
    if (first === '[') return await this.#readList();
    if (first === '{') return await this.#readObject();
    if (first === quote) return await this.#readText();
    return JSON.parse(this.#take(scalar));
  }

  async #readList(): Promise<unknown[]> {
    const items: unknown[] = [];
    this.#at++;
    while (this.#peek() !== ']') {
      items.push(await this.read());
      if (this.#peek() === ',') this.#at++;
    }
    this.#at++;
    return items;
  }

  async #readObject(): Promise<Record<string, unknown>> {
    const fields: [string, unknown][] = [];
    this.#at++;
    while (this.#peek() !== '}') {
      const name = await this.#readText();
      this.#peek();
      this.#at++; // the colon
      fields.push([name, await this.read()]);
      if (this.#peek() === ',') this.#at++;
    }
    this.#at++;
    return Object.fromEntries(fields);
  }

  async #readText(): Promise<string> {
    const start = this.#at;
    do this.#at = this.#text.indexOf(quote, this.#at + 1);
    while (this.#at > 0 && this.#isEscaped(this.#at));
    if (this.#at < 0) throw new SyntaxError('A text of the row has no end.');
    this.#at++;
    await this.#takeTurn();
    return JSON.parse(this.#text.slice(start, this.#at)) as string; // it is a text in quotes
  }

  /** Whether an odd number of backslashes precedes it. */
  #isEscaped(at: number): boolean {
    let start = at;
    while (this.#text[start - 1] === '\\') start--;
    return (at - start) % 2 === 1;
  }

  /** Skips blanks. */
  #peek(): string {
    this.#take(blanks);
    const next = this.#text[this.#at];
    if (next === undefined) throw new SyntaxError('The row has no end.');
    return next;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken = ''] = pattern.exec(this.#text) ?? [];
    this.#at += taken.length;
    return taken;
  }
}
