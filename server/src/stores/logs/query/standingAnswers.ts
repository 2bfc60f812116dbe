/** Remembers answers that took long, for as long as exactly the parts stand that they were read from. */
import type { EngineAccess } from '../engine/supervision.ts';
import { listParts } from './parts.ts';
import type { Runner } from './running.ts';

/** Whose parts are looked at. */
export type StandingAnswersDeps = { runner: Runner; shards: readonly EngineAccess[] };

const restlessMs = 2_000; // while entries come in, looking at the parts for each question is work for nothing
const answersMax = 200;
const answerCharactersMax = 64 * 1024; // some megabytes in all

export class StandingAnswers<Answer> {
  readonly #deps: StandingAnswersDeps;
  /** By question; the one asked last stands last. */
  readonly #known = new Map<string, { parts: string; answer: Answer }>();
  #restlessUntil = 0;

  constructor(deps: StandingAnswersDeps) {
    this.#deps = deps;
  }

  async recall(question: string, ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    if (performance.now() < this.#restlessUntil) return ask();
    const parts = await this.#listParts(signal);
    const known = this.#known.get(question);
    this.#known.delete(question);
    if (known?.parts === parts) {
      this.#known.set(question, known);
      return known.answer;
    }
    if (known !== undefined) this.#expectChanges();
    const answer = await ask();
    // Those that stood before and after stood in between: the answer was read from them and no others.
    const isStanding = (await this.#listParts(signal)) === parts;
    if (!isStanding) this.#expectChanges();
    else if (JSON.stringify(answer).length <= answerCharactersMax) {
      this.#known.set(question, { parts, answer });
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= answersMax) break;
      this.#known.delete(oldest);
    }
    return answer;
  }

  #expectChanges(): void {
    this.#restlessUntil = performance.now() + restlessMs;
  }

  async #listParts(signal: AbortSignal): Promise<string> {
    const { runner, shards } = this.#deps;
    const listed = await Promise.all(shards.map(shard => listParts(runner, shard, signal)));
    return JSON.stringify(listed.map(parts => parts.map(({ key }) => key)));
  }
}
