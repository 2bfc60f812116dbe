/** Names and texts from outside may turn round the direction of writing; what stands beside them must not turn with them. */

/** Embeddings, overrides and isolates, with their ends. */
const turning = /[\u202a-\u202e\u2066-\u2069]/;
const isolates = /[\u2066-\u2069]/g;
const [isolateBegin, isolateEnd] = ['\u2068', '\u2069'];

/** The text as it may stand within a sentence. Markup needs none of this: its elements keep to themselves. */
export function isolate(text: string): string {
  // Isolates of its own could end ours, or outlast it; what else turns ends with ours.
  return turning.test(text) ? `${isolateBegin}${text.replaceAll(isolates, '')}${isolateEnd}` : text;
}
