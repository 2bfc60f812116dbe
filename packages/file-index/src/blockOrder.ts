/** Sorts files: each block keeps its sort orders, and a heap merges the blocks. */

import { type BlockColumns, positionOf } from './block.ts';
import type { FilePlace, FileSort } from './fileQueries.ts';
import { countWhile, type Ordered, skipOrdered } from './orderedLists.ts';
import type { Mask } from './textColumn.ts';

/** A block and the mask of its matching files. */
export type MatchedBlock = { readonly columns: BlockColumns; readonly mask: Mask };

/** Compares by value, then by position. Files without a value come last in both directions. */
function comparePlaces({ order }: FileSort, one: FilePlace, other: FilePlace): number {
  const sign = order === 'asc' ? 1 : -1;
  if (one.value === null || other.value === null) {
    if (one.value !== other.value) return one.value === null ? 1 : -1;
  } else {
    const byValue = compareValues(one.value, other.value);
    if (byValue !== 0) return sign * byValue;
  }
  return sign * (one.position - other.position);
}

function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  return Number(one) - Number(other);
}

/** Compares by code points. JavaScript compares UTF-16 units. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return rankUnit(a) - rankUnit(b);
  }
  return one.length - other.length;
}

/** Ranks surrogate halves after all other characters. */
function rankUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

function placeOf(columns: BlockColumns, index: number, by: FileSort['by']): FilePlace {
  const position = positionOf(columns, index);
  if (by === 'createdAt') return { position, value: null };
  if (by === 'name') return { position, value: columns.names.folded(index) };
  const value = columns.numbers[by][index] ?? Number.NaN;
  return { position, value: Number.isNaN(value) ? null : value };
}

const orders = new WeakMap<BlockColumns, Map<string, Uint16Array>>();
const valueSorts = ['name', 'size', 'duration'] as const;

/** Computes all orders of a block before the first query needs them. */
export function prepareOrders(columns: BlockColumns): void {
  for (const by of valueSorts)
    for (const order of ['asc', 'desc'] as const) orderRows(columns, { by, order });
}

/** Lists the computed orders, so that the caller can store them. */
export function listOrders(columns: BlockColumns): [name: string, rows: Uint16Array][] {
  return [...(orders.get(columns) ?? [])];
}

/** Takes orders that `listOrders` returned for the same block. */
export function keepOrders(columns: BlockColumns, known: readonly [name: string, rows: Uint16Array][]): void {
  orders.set(columns, new Map(known));
}

/** Returns the rows in sorted order. Computes each order once. */
function orderRows(columns: BlockColumns, sort: FileSort): Uint16Array {
  let known = orders.get(columns);
  if (known === undefined) {
    known = new Map();
    orders.set(columns, known);
  }
  const name = `${sort.by} ${sort.order}`;
  let order = known.get(name);
  if (order === undefined) {
    order = sort.order === 'asc' ? sortRows(columns, sort) : reverseRows(columns, sort);
    known.set(name, order);
  }
  return order;
}

function sortRows(columns: BlockColumns, sort: FileSort): Uint16Array {
  const places = Array.from({ length: columns.count }, (_, index) => placeOf(columns, index, sort.by));
  const rows = places.map((place, index) => ({ place, index }));
  rows.sort((one, other) => comparePlaces(sort, one.place, other.place));
  return Uint16Array.from(rows, ({ index }) => index);
}

/** Reverses the order, but keeps files without a value at the end. */
function reverseRows(columns: BlockColumns, { by }: FileSort): Uint16Array {
  const rising = orderRows(columns, { by, order: 'asc' });
  let valued = rising.length;
  while (valued > 0 && by !== 'createdAt' && placeOf(columns, rising[valued - 1] ?? 0, by).value === null)
    valued--;
  const turned = new Uint16Array(rising.length);
  turned.set(rising.subarray(0, valued).toReversed());
  turned.set(rising.subarray(valued).toReversed(), valued);
  return turned;
}

/** The matching files of a block in sorted order. */
class OrderedFiles implements Ordered<FilePlace> {
  readonly #columns: BlockColumns;
  readonly #rows: Uint16Array;
  readonly #by: FileSort['by'];

  constructor({ columns, mask }: MatchedBlock, sort: FileSort) {
    const rows = orderRows(columns, sort);
    this.#columns = columns;
    this.#rows = keepMarked(rows, mask);
    this.#by = sort.by;
  }

  get count(): number {
    return this.#rows.length;
  }

  at(index: number): FilePlace {
    return placeOf(this.#columns, this.#rows[index] ?? 0, this.#by);
  }
}

function keepMarked(rows: Uint16Array, mask: Mask): Uint16Array {
  const kept = new Uint16Array(countMarks(mask));
  if (kept.length === rows.length) return rows;
  let count = 0;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] ?? 0;
    if (mask[row] === 1) kept[count++] = row;
  }
  return kept;
}

/** The next file of a block in the merge. */
class Head {
  readonly #files: OrderedFiles;
  #at: number;
  place: FilePlace | null = null;

  constructor(files: OrderedFiles, start: number) {
    this.#files = files;
    this.#at = start - 1;
    this.advance();
  }

  advance(): void {
    this.#at++;
    this.place = this.#at < this.#files.count ? this.#files.at(this.#at) : null;
  }
}

type Page = { sort: FileSort; from: { offset: number } | { after: FilePlace }; limit: number };

export function listPlaces(blocks: readonly MatchedBlock[], { sort, from, limit }: Page): FilePlace[] {
  if (sort.by === 'createdAt') return listByPosition(blocks, { sort, from, limit });
  const files = blocks
    .filter(({ mask }) => mask.includes(1))
    .map(block => new OrderedFiles(block, sort))
    .filter(({ count }) => count > 0);
  const compare = (one: FilePlace, other: FilePlace) => comparePlaces(sort, one, other);
  const { starts, remaining } =
    'after' in from
      ? { starts: files.map(some => countUpTo(some, from.after, compare)), remaining: 0 }
      : skipOrdered(files, from.offset, compare);
  const heads = new HeadQueue(
    files.map((some, index) => new Head(some, starts[index] ?? 0)),
    sort,
  );
  const places: FilePlace[] = [];
  for (let passed = 0; places.length < limit; passed++) {
    const place = heads.take();
    if (place === null) break;
    if (passed >= remaining) places.push(place);
  }
  return places;
}

function countUpTo(
  files: OrderedFiles,
  place: FilePlace,
  compare: (one: FilePlace, other: FilePlace) => number,
): number {
  return countWhile(files, { low: 0, high: files.count }, at => compare(at, place) <= 0);
}

/** Blocks follow one another in this order, so it skips whole blocks by their counts. */
function listByPosition(blocks: readonly MatchedBlock[], { sort, from, limit }: Page): FilePlace[] {
  const isRising = sort.order === 'asc';
  const after = 'after' in from ? from.after.position : null;
  let offset = 'offset' in from ? from.offset : 0;
  const places: FilePlace[] = [];
  for (const { columns, mask } of isRising ? blocks : blocks.toReversed()) {
    if (offset > 0) {
      const count = countMarks(mask);
      if (count <= offset) {
        offset -= count;
        continue;
      }
    }
    for (let step = 0; step < mask.length; step++) {
      const index = isRising ? step : mask.length - 1 - step;
      if (mask[index] === 0) continue;
      const position = positionOf(columns, index);
      if (after !== null && (isRising ? position <= after : position >= after)) continue;
      if (offset-- > 0) continue;
      places.push({ position, value: null });
      if (places.length === limit) return places;
    }
  }
  return places;
}

const counts = new WeakMap<Mask, number>();

/** Counts the marks of a mask once. The masks of matched blocks never change. */
export function countMarks(mask: Mask): number {
  const known = counts.get(mask);
  if (known !== undefined) return known;
  let count = 0;
  for (let index = 0; index < mask.length; index++) count += mask[index] ?? 0;
  counts.set(mask, count);
  return count;
}

/** A binary heap of the heads that have files left. */
class HeadQueue {
  readonly #heads: Head[];
  readonly #sort: FileSort;

  constructor(heads: readonly Head[], sort: FileSort) {
    this.#sort = sort;
    this.#heads = heads.filter(({ place }) => place !== null);
    for (let index = this.#heads.length >> 1; index >= 0; index--) this.#sink(index);
  }

  take(): FilePlace | null {
    const [head] = this.#heads;
    if (head === undefined) return null;
    const { place } = head;
    head.advance();
    if (head.place === null) {
      const last = this.#heads.pop();
      if (last !== undefined && last !== head) this.#heads[0] = last;
    }
    this.#sink(0);
    return place;
  }

  #sink(start: number): void {
    const heads = this.#heads;
    for (let index = start; ; ) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2]) if (this.#isBefore(child, least)) least = child;
      if (least === index) return;
      const [one, other] = [heads[index], heads[least]];
      if (one === undefined || other === undefined) return;
      heads[index] = other;
      heads[least] = one;
      index = least;
    }
  }

  #isBefore(index: number, other: number): boolean {
    const [one, two] = [this.#heads[index]?.place, this.#heads[other]?.place];
    if (!one || !two) return false;
    return comparePlaces(this.#sort, one, two) < 0;
  }
}
