/** What all protocols become: entries in the words of the service, each with the dataset that it names. */
import { Failure } from '@tapedeck/failures';
import { entryLimits, type LevelSynonyms, type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';

export const protocolCodes = ['bad_request', 'invalid_field', 'invalid_json', 'body_too_large'] as const;
type ProtocolCode = (typeof protocolCodes)[number];

/** Why a body becomes no entries. */
export class ProtocolFailure extends Failure<ProtocolCode> {}

/** Like an item of a batch; its limits are judged where it is written. */
export type SentEntry = {
  /** null: it names none. */
  dataset: string | null;
  level: LogLevel;
  message: string;
  resource: string;
  /** Unix milliseconds with a fraction, or what was sent in its place; absent: the time of receipt. */
  timestamp?: unknown;
  metadata: Readonly<Record<string, unknown>>;
};

/** Words that stand for levels in the field. */
export type Wording = { levels: LevelSynonyms };

/** Guards the memory: entries of a byte or two each take far more as objects. */
export function requireCount(count: number): void {
  if (count <= entryLimits.requestItemsMax) return;
  throw new ProtocolFailure(
    'body_too_large',
    `A request may hold at most ${entryLimits.requestItemsMax.toLocaleString('en')} log entries; send them in several.`,
  );
}

/** Fields of an entry on their way: what has a place of its own is taken out, and the rest becomes metadata. */
export class Fields {
  readonly #values: Map<string, unknown>;

  constructor(entries: Iterable<readonly [string, unknown]>) {
    this.#values = new Map(entries);
  }

  /** The first of these that holds a text; the others stay. Empty texts count as absent. */
  takeText(names: readonly string[]): string | null {
    for (const name of names) {
      const value = this.#values.get(name);
      if (typeof value !== 'string' || value === '') continue;
      this.#values.delete(name);
      return value;
    }
    return null;
  }

  /** The first of these that is a level, in any usual word; a word that is none stays. */
  takeLevel(names: readonly string[], { levels }: Wording): LogLevel | null {
    for (const name of names) {
      const level = readLevelSynonym(levels, this.#values.get(name));
      if (level === null) continue;
      this.#values.delete(name);
      return level;
    }
    return null;
  }

  /** undefined when there is none. */
  take(name: string): unknown {
    const value = this.#values.get(name);
    this.#values.delete(name);
    return value;
  }

  /** It stays. */
  read(name: string): unknown {
    return this.#values.get(name);
  }

  /** Under the first free one of these names, so that nothing is lost where two would meet. */
  add(names: readonly [string, ...string[]], value: unknown): void {
    const name = names.find(each => !this.#values.has(each)) ?? names[names.length - 1]!;
    this.#values.set(name, value);
  }

  toMetadata(): Record<string, unknown> {
    return Object.fromEntries(this.#values);
  }
}
