/** Remembers answers for as long as exactly the parts stand that they were read from. */
import type { PartsWatch } from './partsWatch.ts';

const charactersMax = 2_000_000; // of all answers together
const answerCharactersMax = 64 * 1024;

type Known = { parts: string; answer: unknown; characters: number };

export class StandingAnswers<Answer> {
  readonly #watch: PartsWatch;
  /** By question; the one asked last stands last. */
  readonly #known = new Map<string, Known & { answer: Answer }>();
  #characters = 0;

  constructor(watch: PartsWatch) {
    this.#watch = watch;
  }

  /** What is answered belongs to all who ask: it must not be changed. */
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
    const before = watch.latest ?? (await watch.look());
    const answer = await ask();
    void this.#consider(question, answer, before); // nobody waits for that
    return answer;
  }

  /** Parts that stood before and after stood in between: the answer was read from them and no others. */
  async #consider(question: string, answer: Answer, parts: string): Promise<void> {
    const characters = question.length + JSON.stringify(answer).length;
    if (characters > answerCharactersMax) return;
    const after = await this.#watch.look().catch(() => null); // the next one to ask will hear of it
    if (after !== parts) return;
    this.#forget(question);
    this.#keep(question, { parts, answer, characters });
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= charactersMax) break;
      this.#forget(oldest);
    }
  }

  #keep(question: string, known: Known & { answer: Answer }): void {
    this.#known.set(question, known);
    this.#characters += known.characters;
  }

  #forget(question: string): void {
    this.#characters -= this.#known.get(question)?.characters ?? 0;
    this.#known.delete(question);
  }
}
