/** Bounds the lines that all answers hold together, from when they are read until they are written. A project gets at most half. */
import { LogqlMistake } from '@tapedeck/logql';
import type { EvaluatedLine } from './evaluationProtocol.ts';
import { LokiFailure } from './failure.ts';

/** The lines of one answer. */
export type HeldLines = Disposable & {
  /** Throws if the answer gets too long, or if all answers together do. */
  add(line: EvaluatedLine): void;
};

const megabyte = 1024 ** 2;
const allShare = 1 / 4; // of the heap; characters may take two bytes each, and other requests need the rest
const allCharactersMax = 256 * megabyte;
const answerShare = 1 / 8;
const answerCharactersMax = 64 * megabyte;
const briefCharacters = 256 * 1024; // are not counted, so that short answers are never refused
const lineCharacters = 256; // what a line takes besides its characters

export class LineBudget {
  readonly #heapBytes: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(heapBytes: number) {
    this.#heapBytes = heapBytes;
  }

  /** Dispose of the result once the answer is written. */
  open(project: string): HeldLines {
    const answerMax = Math.min(this.#heapBytes * answerShare, answerCharactersMax);
    let characters = 0;
    let weight = 0;
    let counted = 0;
    return {
      add: line => {
        const own = countCharacters(line);
        characters += own;
        if (characters > answerMax) throw tooLongError();
        weight += own + lineCharacters;
        const more = Math.max(0, weight - briefCharacters) - counted;
        if (!this.#hasRoom(project, { counted, more })) throw crowdedError();
        this.#add(project, more);
        counted += more;
      },
      [Symbol.dispose]: () => {
        this.#add(project, -counted);
        counted = 0;
      },
    };
  }

  #hasRoom(project: string, { counted, more }: { counted: number; more: number }): boolean {
    if (more === 0) return true;
    const left = Math.min(this.#heapBytes * allShare, allCharactersMax) - this.#all - more;
    const held = this.#held.get(project) ?? 0;
    return left >= 0 && (held === counted || held + more <= left);
  }

  #add(project: string, more: number): void {
    if (more === 0) return;
    const held = (this.#held.get(project) ?? 0) + more;
    if (held > 0) this.#held.set(project, held);
    else this.#held.delete(project);
    this.#all += more;
  }
}

/** Labels count too: an entry may have megabytes of metadata. */
function countCharacters({ text, stream, metadata, parsed }: EvaluatedLine): number {
  let characters = text.length;
  for (const labels of [stream, metadata, parsed])
    for (const [name, value] of labels) characters += name.length + value.length;
  return characters;
}

function tooLongError(): LogqlMistake {
  return new LogqlMistake('the lines of the answer are too long together; ask for fewer of them with limit');
}

function crowdedError(): LokiFailure {
  const sentence =
    'Too many long answers are being written at once. Ask for fewer lines, or try again later.';
  return new LokiFailure('overloaded', sentence, { retryAfterSeconds: 5 });
}
