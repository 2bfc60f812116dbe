/** Matches of names in a body, and the choice between overlapping ones. */

/** The position of a name in the body, and of its path in the bytes of all paths. */
export type NameMatch = { start: number; end: number; pathStart: number; pathEnd: number };

/** Chooses longer names first, then earlier ones; for a name with several paths, the shortest. Returns them in body order. */
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
