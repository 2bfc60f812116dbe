/** Names that were found in a body, and which of them count where several lie. */

/** Where a name occurs in the body, and where its path lies in the bytes of all paths. */
export type NameMatch = { start: number; end: number; pathStart: number; pathEnd: number };

/** Longer names first, then those that stand first; of several paths of one name the shortest. In the order of the body. */
export function chooseMatches(found: readonly NameMatch[], paths: Uint8Array): NameMatch[] {
  const chosen: NameMatch[] = [];
  for (const match of found.toSorted((one, other) => compareMatches(one, other, paths)))
    if (chosen.every(({ start, end }) => match.end <= start || match.start >= end)) chosen.push(match);
  return chosen.sort((one, other) => one.start - other.start);
}

function compareMatches(one: NameMatch, other: NameMatch, paths: Uint8Array): number {
  const byLength = other.end - other.start - (one.end - one.start) || one.start - other.start;
  if (byLength !== 0) return byLength;
  const byPath = one.pathEnd - one.pathStart - (other.pathEnd - other.pathStart);
  if (byPath !== 0) return byPath;
  const [path, otherPath] = [one, other].map(each => paths.subarray(each.pathStart, each.pathEnd));
  return Buffer.compare(path ?? paths, otherPath ?? paths);
}
