/**
 * Remembers an answer for as long as exactly the parts stand that it was read from. A part that stood at a look before the
 * question, and stands when the question is asked again, stood in between. The watch knows of parts that came and went meanwhile.
 */
import type { PartsWatch } from './partsWatch.ts';

const charactersMax = 2_000_000; // of all answers together
const answerCharactersMax = 64 * 1024;

type Known<Answer> = { parts: string; answer: Answer; characters: number };

export class StandingAnswers<Answer> {
  readonly #watch: PartsWatch;
  /** By question; the one asked last stands last. */
  readonly #known = new Map<string, Known<Answer>>();
  #characters = 0;

  constructor(watch: PartsWatch) {
    this.#watch = watch;
  }

  /** All callers share the answer, so that none may change it. */
  async recall(asked: unknown, ask: () => Promise<Answer>): Promise<Answer> {
    const watch = this.#watch;
    if (watch.isRestless) return ask();
    const question = JSON.stringify(asked);
    const known = this.#known.get(question);
    if (known !== undefined) {
      const isStanding = (await watch.look()) === known.parts;
      this.#forget(question);
      if (isStanding) {
        this.#keep(question, known);
        return known.answer;
      }
    }
    const parts = watch.latest;
    if (parts === null) watch.look().catch(() => {}); // for later questions; the present one hears of failures itself
    const answer = await ask();
    if (parts !== null) this.#remember(question, answer, parts);
    return answer;
  }

  #remember(question: string, answer: Answer, parts: string): void {
    const characters = question.length + JSON.stringify(answer).length;
    if (characters > answerCharactersMax) return;
    this.#forget(question);
    this.#keep(question, { parts, answer, characters });
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= charactersMax) break;
      this.#forget(oldest);
    }
  }

  #keep(question: string, known: Known<Answer>): void {
    this.#known.set(question, known);
    this.#characters += known.characters;
  }

  #forget(question: string): void {
    this.#characters -= this.#known.get(question)?.characters ?? 0;
    this.#known.delete(question);
  }
}
