/** Takes an entry's fields by name in any letter case and keeps the rest. */
import type { JsonObject } from '@tapedeck/values/json';

export class SentFields {
  readonly #values: Map<string, unknown>;
  /** Maps lower-case names to their first spelling. Built when an exact name is missing. */
  #spellings: Map<string, string> | null = null;

  constructor(sent: JsonObject) {
    this.#values = new Map(Object.entries(sent));
  }

  peek(name: string): unknown {
    return this.#values.get(this.#spell(name));
  }

  take(name: string): unknown {
    const spelled = this.#spell(name);
    const value = this.#values.get(spelled);
    this.#values.delete(spelled);
    return value;
  }

  /** Returns the remaining fields. */
  rest(): JsonObject {
    return Object.fromEntries(this.#values);
  }

  #spell(name: string): string {
    if (this.#values.has(name)) return name;
    this.#spellings ??= new Map([...this.#values.keys()].reverse().map(key => [key.toLowerCase(), key]));
    return this.#spellings.get(name.toLowerCase()) ?? name;
  }
}
