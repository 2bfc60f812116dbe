/**
 * Remembers files from which no picture can be made. A file's bytes never change, so one attempt is enough. The attempt at a large picture says
 * nothing about smaller ones, which cost less.
 */

import type { StoredFile } from '../ports/files.ts';
import { type ErrorCode, isExpected, ServiceError } from '../vocabulary.ts';
import { describeForm, nameForm, type VariantForm } from './variantForms.ts';

/** Errors caused by the bytes. Others, such as a full queue or an unreachable store, may pass by the next request. */
const lastingCodes: readonly ErrorCode[] = ['image_undecodable', 'image_too_large'];
const rememberedMax = 20_000; // about 150 bytes each: 3 MB

/** The file has no such preview. */
export class NoPreview extends ServiceError {
  constructor(sentence: string) {
    super('not_found', sentence);
  }
}

type Refusal = { code: ErrorCode; sentence: string };

type Wanted = { file: StoredFile; form: VariantForm };

type RefusalMemory = {
  /** Throws the error remembered for the file and preview: a video may have a still but no waveform. */
  check(file: StoredFile, form: VariantForm): void;
  /** Runs the work and remembers lasting errors. */
  watch<T>(wanted: Wanted, work: Promise<T>): Promise<T>;
};

export function openRefusalMemory(): RefusalMemory {
  const known = new Map<string, Refusal>();
  const nameFile = ({ file, form }: Wanted) => `${file.project}/${file.id}/${form.preview ?? ''}`;
  const nameLarge = (wanted: Wanted) => `${nameFile(wanted)}/${nameForm(wanted.form)}`;
  const nameSubject = (wanted: Wanted) =>
    describeForm(wanted.form, wanted.file).isLarge ? nameLarge(wanted) : nameFile(wanted);
  const note = (name: string, refusal: Refusal) => {
    known.delete(name); // moves the name to the end, so that it is evicted last
    known.set(name, refusal);
    if (known.size > rememberedMax) known.delete(known.keys().next().value ?? '');
  };
  return {
    check: (file, form) => {
      for (const name of [nameFile({ file, form }), nameLarge({ file, form })]) {
        const refusal = known.get(name);
        if (refusal === undefined) continue;
        note(name, refusal);
        throw new ServiceError(refusal.code, refusal.sentence);
      }
    },
    watch: (wanted, work) =>
      work.catch((error: unknown) => {
        if (isExpected(error) && (error instanceof NoPreview || lastingCodes.includes(error.code)))
          note(nameSubject(wanted), { code: error.code, sentence: error.message });
        throw error;
      }),
  };
}
