/** Finds unpaired surrogates in JSON values: JSON can spell them, but UTF-8 cannot encode them. */
import { Failure } from '../failure.ts';

export const halfPairSentence = 'must not hold half of a surrogate pair.';

const fieldCharactersMax = 256; // otherwise an answer would repeat a path of megabytes

type Place = { value: unknown; path: string };

/** Throws with the dotted path of the first text or key that `complain` rejects. Handles any depth. */
export function requireTexts(root: unknown, complain: (text: string) => string | null): void {
  const places: Place[] = [{ value: root, path: '' }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, path } = place;
    if (typeof value === 'string') requireText(value, path, complain);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      requireText(key, path, complain);
      places.push({ value: inner, path: path === '' ? key : `${path}.${key}` });
    }
  }
}

function requireText(text: string, path: string, complain: (text: string) => string | null): void {
  const complaint = complain(text);
  if (complaint === null) return;
  const field = path === '' ? undefined : path.slice(0, fieldCharactersMax);
  throw new Failure<'invalid_field'>('invalid_field', `${field ?? 'The body'} ${complaint}`, { field });
}

export function describeLoneSurrogate(text: string): string | null {
  return text.isWellFormed() ? null : halfPairSentence;
}
