/** Evaluates a query over entries as they arrive, in the evaluation threads. */
import { countCharacters, type LogEntry, type LogFilter } from '@tapedeck/log-entries';
import type { LogQuery, Matcher, Stage } from '@tapedeck/logql';
import type { EvaluatedLine } from './evaluationProtocol.ts';
import { composeSelector } from './labelConditions.ts';
import { openLabelFields } from './labelFields.ts';
import { packEntries, streamLabels } from './lineLabels.ts';
import { type LokiDeps, portionCharactersMax } from './lists.ts';

/**
 * Splits the query. The filter checks every entry in the main thread, so it gets only the stream labels; a worker thread evaluates
 * the rest.
 */
export async function planTail(
  query: LogQuery,
  scope: LogFilter,
): Promise<{ filter: LogFilter; query: LogQuery }> {
  const isPlain = ({ name, operator }: LogQuery['matchers'][number]) =>
    streamLabels.some(label => label === name) && !operator.includes('~');
  const others = query.matchers.filter(matcher => !isPlain(matcher));
  const asked = others.map(
    (matcher): Stage => ({ kind: 'labelFilter', filter: { kind: 'match', matcher: bracket(matcher) } }),
  );
  const fields = openLabelFields({ logQueries: null }, scope, new AbortController().signal);
  const condition = await composeSelector(query.matchers.filter(isPlain), fields);
  return {
    filter: { ...scope, fromMicros: null, toMicros: null, condition },
    query: { ...query, stages: [...asked, ...query.stages] },
  };
}

/** Puts a selector's expression in brackets. Without them, label filters would simplify it. */
function bracket(matcher: Matcher): Matcher {
  return matcher.operator.includes('~') ? { ...matcher, value: `(?:${matcher.value})` } : matcher;
}

/** What all tails may hold together. */
type TailMemory = {
  /** If not, a tail takes one entry at a time. */
  readonly hasRoom: boolean;
  recordTaken(characters: number): void;
};

type Limits = {
  project: string;
  /** Limits the entries that wait for evaluation, and their characters. The last entry may exceed the limit. */
  waitingEntriesMax: number;
  waitingCharactersMax: number;
  memory: TailMemory;
  signal: AbortSignal;
};

/** Takes entries and returns the lines of the query, in order. */
export class TailEvaluation {
  readonly #deps: LokiDeps;
  readonly #query: LogQuery;
  readonly #limits: Limits;
  #waiting: LogEntry[] = [];
  #characters = 0;
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  constructor(deps: LokiDeps, query: LogQuery, limits: Limits) {
    this.#deps = deps;
    this.#query = query;
    this.#limits = limits;
    limits.signal.addEventListener('abort', () => this.end());
  }

  get hasRoom(): boolean {
    const { waitingEntriesMax, waitingCharactersMax, memory } = this.#limits;
    if (this.#waiting.length === 0) return true;
    const hasOwn = this.#waiting.length < waitingEntriesMax && this.#characters < waitingCharactersMax;
    return hasOwn && memory.hasRoom;
  }

  get waitingCharacters(): number {
    return this.#characters;
  }

  take(entries: readonly LogEntry[]): number {
    let taken = 0;
    for (const entry of entries) {
      if (!this.hasRoom) break;
      const characters = countCharacters(entry);
      this.#waiting.push(entry);
      this.#characters += characters;
      this.#limits.memory.recordTaken(characters);
      taken++;
    }
    this.#wakeReaders();
    return taken;
  }

  async untilRoom(): Promise<void> {
    while (!this.hasRoom && !this.#isEnded) await this.#changed.promise;
  }

  end(): void {
    this.#isEnded = true;
    this.#wakeReaders();
  }

  async *portions(): AsyncGenerator<EvaluatedLine[]> {
    while (!this.#isEnded) {
      const entries = choosePortion(this.#waiting);
      if (entries.length === 0) {
        await this.#changed.promise;
        continue;
      }
      const lines = await this.#evaluate(entries);
      this.#waiting = this.#waiting.slice(entries.length);
      this.#characters -= entries.reduce((sum, entry) => sum + countCharacters(entry), 0);
      this.#wakeReaders();
      yield lines;
    }
  }

  async #evaluate(entries: readonly LogEntry[]): Promise<EvaluatedLine[]> {
    using thread = await this.#deps.evaluationThreads.enter(this.#limits.project, this.#limits.signal);
    await thread.ask({ kind: 'open', task: { kind: 'lines', query: this.#query } });
    const answer = await thread.ask({ kind: 'lines', packed: packEntries(entries) });
    return answer.kind === 'lines' ? answer.lines : [];
  }

  #wakeReaders(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}

/** Chooses the first entries, up to what a thread may return at once. */
function choosePortion(waiting: readonly LogEntry[]): LogEntry[] {
  let characters = 0;
  const end = waiting.findIndex((entry, place) => {
    characters += countCharacters(entry);
    return place > 0 && characters > portionCharactersMax;
  });
  return waiting.slice(0, end < 0 ? waiting.length : end);
}
