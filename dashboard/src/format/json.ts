/** JSON inside of texts: where it begins, and what it holds. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** `before`: what stands in front of it. */
type FoundJson = { before: string; value: Json };

const charactersMax = 200_000; // longer ones are read as text: a tree of them is no easier

/** An object or a list that a text is, or ends in; null: there is none. */
export function findJson(text: string): FoundJson | null {
  if (text.length > charactersMax || !/[}\]]\s*$/.test(text)) return null;
  for (const opening of ['{', '[']) {
    const at = text.indexOf(opening);
    const value = at < 0 ? undefined : parse(text.slice(at));
    if (value !== undefined && isFilled(value)) return { before: text.slice(0, at), value };
  }
  return null;
}

/** A list of one number is more often part of a sentence. */
function isFilled(value: Json): boolean {
  if (Array.isArray(value)) return value.some(each => typeof each === 'object' && each !== null);
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function parse(text: string): Json | undefined {
  try {
    // What JSON.parse answers is JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
