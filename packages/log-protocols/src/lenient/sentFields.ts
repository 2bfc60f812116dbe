/** The fields of an entry as some logger spells them: taken by name in any letter case, until the rest is left. */
import type { JsonObject } from '@tapedeck/values/json';

export class SentFields {
  readonly #values: Map<string, unknown>;
  /** Each name in lower case, with the first spelling of it; made when a name is not found as it is. */
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

  /** Fields that nobody took. */
  rest(): JsonObject {
    return Object.fromEntries(this.#values);
  }

  #spell(name: string): string {
    if (this.#values.has(name)) return name;
    this.#spellings ??= new Map([...this.#values.keys()].reverse().map(key => [key.toLowerCase(), key]));
    return this.#spellings.get(name.toLowerCase()) ?? name;
  }
}
