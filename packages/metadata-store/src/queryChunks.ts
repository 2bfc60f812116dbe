/** Splits long lists into chunks that fit into one query. */

const itemsPerQueryMax = 500; // two parameters each, far below the bind limit of both dialects

export function* splitIntoChunks<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += itemsPerQueryMax)
    yield items.slice(start, start + itemsPerQueryMax);
}
