/** Limits the length of texts that template functions write. */
import { TemplateFailure } from './values.ts';

export const resultCharactersMax = 1_000_000; // per function; a line has 64 KiB

export function bound(text: string): string {
  if (text.length > resultCharactersMax)
    throw new TemplateFailure(`a template may write at most ${resultCharactersMax} characters`);
  return text;
}
