/** Values of a statement: each is bound by the engine, and none is written into the text. */
import type { Parameters } from './statements.ts';

/** Collects the values of a statement; `bind` returns the placeholder of the value in the text. */
export class Binder {
  readonly #values: Record<string, string> = {};
  /** Placeholders by type and value: what a statement names several times is sent once. */
  readonly #placeholders = new Map<string, string>();

  get parameters(): Parameters {
    return this.#values;
  }

  get count(): number {
    return this.#placeholders.size;
  }

  bind(type: string, value: string | number): string {
    const key = `${type} ${value}`;
    const known = this.#placeholders.get(key);
    if (known !== undefined) return known;
    const name = `p${this.count}`;
    this.#values[name] = String(value);
    const placeholder = `{${name}:${type}}`;
    this.#placeholders.set(key, placeholder);
    return placeholder;
  }

  /** Only for words that hold no quote or backslash: levels, slugs of projects, and names of datasets and parts. */
  bindWords(words: readonly string[]): string {
    return this.bind('Array(String)', `[${words.map(word => `'${word}'`).join(',')}]`);
  }

  /** The engine undoes the escapes of a value once: a quote is doubled, the rest is escaped as all values are. */
  bindTexts(texts: readonly string[]): string {
    return this.bindWords(texts.map(text => text.replaceAll("'", "''")));
  }

  /** To the last bit, whatever engines make of written numbers. */
  bindDouble(number: number): string {
    const [bits = 0n] = new BigUint64Array(new Float64Array([number]).buffer);
    return `reinterpretAsFloat64(${this.bind('UInt64', bits.toString())})`;
  }
}

// DateTime64 reaches further, but no entry is older than 1970 or later than a day ahead.
export const microsMin = 0;
const microsMax = Number.MAX_SAFE_INTEGER;

export function bindMicros(micros: number, binder: Binder): string {
  const within = Math.min(Math.max(micros, microsMin), microsMax);
  return `fromUnixTimestamp64Micro(${binder.bind('Int64', within)}, 'UTC')`;
}
