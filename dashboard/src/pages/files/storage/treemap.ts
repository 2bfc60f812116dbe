/** Lays out a treemap: rectangles with areas in proportion to sizes, as square as rows allow (squarified). */

export type Rectangle = { left: number; top: number; width: number; height: number };

type Sized = { bytes: number };

/** Lays out rectangles in fractions of the whole, whose width is `ratio` times its height. Largest first; skips empty items. */
export function layOutTreemap<T extends Sized>(
  items: readonly T[],
  ratio: number,
): (Rectangle & { item: T })[] {
  const sorted = items.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
  const total = sum(sorted);
  const placed: (Rectangle & { item: T })[] = [];
  let free: Rectangle = { left: 0, top: 0, width: ratio, height: 1 };
  let rest = sorted;
  while (rest.length > 0) {
    const scale = (free.width * free.height) / sum(rest);
    const row = rest.slice(0, countRow(rest, Math.min(free.width, free.height), scale));
    placed.push(...placeRow(row, free, scale));
    free = cutRow(free, sum(row) * scale);
    rest = rest.slice(row.length);
  }
  // Scale the width back to fractions.
  return total === 0
    ? []
    : placed.map(tile => ({ ...tile, left: tile.left / ratio, width: tile.width / ratio }));
}

/** Returns how many of the next items make the row whose worst tile is the squarest. */
function countRow(items: readonly Sized[], side: number, scale: number): number {
  let count = 1;
  let worst = findWorst(items.slice(0, 1), side, scale);
  while (count < items.length) {
    const next = findWorst(items.slice(0, count + 1), side, scale);
    if (next > worst) return count;
    worst = next;
    count += 1;
  }
  return count;
}

/** Returns the aspect ratio of the row's least square tile. */
function findWorst(row: readonly Sized[], side: number, scale: number): number {
  const depth = (sum(row) * scale) / side;
  const ratios = row.map(({ bytes }) => {
    const length = (bytes * scale) / depth;
    return Math.max(length / depth, depth / length);
  });
  return Math.max(...ratios);
}

/** Places the row along the shorter side. */
function placeRow<T extends Sized>(row: readonly T[], free: Rectangle, scale: number) {
  const isColumn = free.width >= free.height;
  const area = sum(row) * scale;
  const depth = area / (isColumn ? free.height : free.width);
  let at = isColumn ? free.top : free.left;
  return row.map(item => {
    const length = (item.bytes * scale) / depth;
    const tile = isColumn
      ? { left: free.left, top: at, width: depth, height: length }
      : { left: at, top: free.top, width: length, height: depth };
    at += length;
    return { ...tile, item };
  });
}

function cutRow({ left, top, width, height }: Rectangle, area: number): Rectangle {
  if (width >= height) {
    const depth = area / height;
    return { left: left + depth, top, width: width - depth, height };
  }
  const depth = area / width;
  return { left, top: top + depth, width, height: height - depth };
}

function sum(items: readonly Sized[]): number {
  return items.reduce((total, { bytes }) => total + bytes, 0);
}
