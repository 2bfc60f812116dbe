/** Finds JSON inside texts and parses it. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** `before`: the text in front of it. */
type FoundJson = { before: string; value: Json };

const charactersMax = 200_000; // longer ones are shown as text: a tree would be no easier to read

/** Finds the object or list that a text consists of or ends in; null if none. */
export function findJson(text: string): FoundJson | null {
  if (text.length > charactersMax || !/[}\]]\s*$/.test(text)) return null;
  for (const opening of ['{', '[']) {
    const at = text.indexOf(opening);
    const value = at < 0 ? undefined : parse(text.slice(at));
    if (value !== undefined && isFilled(value)) return { before: text.slice(0, at), value };
  }
  return null;
}

/** A list of plain values is more often part of a sentence. */
function isFilled(value: Json): boolean {
  if (Array.isArray(value)) return value.some(each => typeof each === 'object' && each !== null);
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function parse(text: string): Json | undefined {
  try {
    // JSON.parse returns JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
