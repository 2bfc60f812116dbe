/** Keeps direction marks in names and texts from outside from reversing the text beside them. */

/** Embeddings, overrides and isolates, with their end marks. */
const turning = /[\u202a-\u202e\u2066-\u2069]/;
const isolates = /[\u2066-\u2069]/g;
const [isolateBegin, isolateEnd] = ['\u2068', '\u2069'];

/** Makes a text safe within a sentence. Markup needs none of this, because elements isolate their text. */
export function isolate(text: string): string {
  // Isolates inside the text could end ours or outlast it. Other marks end with ours.
  return turning.test(text) ? `${isolateBegin}${text.replaceAll(isolates, '')}${isolateEnd}` : text;
}
