/** Joins values of granules into values of windows, which may overlap. */

/** `perStep`: granules from one window to the next. `perWindow`: granules in a window. */
export type Windows = {
  perStep: number;
  perWindow: number;
  windows: number;
  join(one: number, other: number): number;
};

type Point = [place: number, value: number];

/**
 * Takes time linear in the points and the non-empty windows, regardless of the granules per window. For points before
 * `middle`, it keeps the joined values from each point up to the middle. It joins later points as they come. A window that
 * passes the middle sets a new one.
 */
export function joinWindows(
  points: readonly Readonly<Point>[],
  { perStep, perWindow, windows, join }: Windows,
): Readonly<Point>[] {
  const sorted = points.toSorted(([one], [other]) => one - other);
  // Each granule is a window.
  if (perStep === 1 && perWindow === 1) return sorted.filter(([place]) => place < windows);
  const joined = Array<number>(sorted.length);
  const found: Readonly<Point>[] = [];
  let [first, middle, end] = [0, 0, 0];
  let behind: number | null = null;
  for (let window = 0; window < windows; window++) {
    const start = window * perStep;
    for (; end < sorted.length && sorted[end]![0] < start + perWindow; end++)
      behind = behind === null ? sorted[end]![1] : join(behind, sorted[end]![1]);
    while (first < end && sorted[first]![0] < start) first++;
    if (first > middle) {
      for (let at = end - 1; at >= first; at--)
        joined[at] = at === end - 1 ? sorted[at]![1] : join(sorted[at]![1], joined[at + 1]!);
      middle = end;
      behind = null;
    }
    if (first < end) {
      const before = first < middle ? joined[first]! : null;
      found.push([window, before === null || behind === null ? (before ?? behind)! : join(before, behind)]);
    } else {
      if (end === sorted.length) break;
      window = Math.max(window, Math.ceil((sorted[end]![0] - perWindow + 1) / perStep) - 1);
    }
  }
  return found;
}
