/** Remembers of which files no picture can be made. The bytes of a file never change, so one attempt is enough. */
import { type ErrorCode, isExpected, ServiceError } from '../../vocabulary.ts';
import type { StoredFile } from '../ports/files.ts';

/** Facts about the bytes. Anything else, such as a full queue or a store that is away, may be over with the next request. */
const lastingCodes: readonly ErrorCode[] = ['image_undecodable', 'image_too_large'];
const rememberedMax = 20_000; // some 150 bytes each: 3 MB

/** A video without a still picture. */
export class NoStill extends ServiceError {
  constructor(sentence: string) {
    super('not_found', sentence);
  }
}

type Refusal = { code: ErrorCode; sentence: string };

type RefusalMemory = {
  /** Throws what was thrown for the file before. */
  check(file: StoredFile): void;
  /** The work, whose lasting refusal is remembered. */
  watch<T>(file: StoredFile, work: Promise<T>): Promise<T>;
};

export function openRefusalMemory(): RefusalMemory {
  const known = new Map<string, Refusal>();
  const nameFile = ({ project, id }: StoredFile) => `${project}/${id}`;
  const note = (name: string, refusal: Refusal) => {
    known.delete(name); // whoever is asked for again is forgotten last
    known.set(name, refusal);
    if (known.size > rememberedMax) known.delete(known.keys().next().value ?? '');
  };
  return {
    check: file => {
      const name = nameFile(file);
      const refusal = known.get(name);
      if (refusal === undefined) return;
      note(name, refusal);
      throw new ServiceError(refusal.code, refusal.sentence);
    },
    watch: (file, work) =>
      work.catch((error: unknown) => {
        if (isExpected(error) && (error instanceof NoStill || lastingCodes.includes(error.code)))
          note(nameFile(file), { code: error.code, sentence: error.message });
        throw error;
      }),
  };
}
