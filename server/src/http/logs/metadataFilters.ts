/** Query keys `metadata.<path>=value`, which no schema can name. */

export type MetadataFilter = { path: string; value: string };

const prefix = 'metadata.';

/** In their order; the same path may come more than once. */
export function readMetadataFilters(url: string): MetadataFilter[] {
  const question = url.indexOf('?');
  if (question < 0 || !url.includes(prefix, question)) return [];
  return [...new URLSearchParams(url.slice(question))].flatMap(([key, value]) =>
    key.startsWith(prefix) && key.length > prefix.length ? [{ path: key.slice(prefix.length), value }] : [],
  );
}
