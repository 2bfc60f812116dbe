/** Divides a time span into whole slots with kept counts, and pieces at its ends whose entries must be read. */
import { slotMicros } from '../writer/schema/schema.ts';

/** `toMicros` is exclusive; null: open. */
export type Span = { fromMicros: number | null; toMicros: number | null };

/** An end inside a slot: the parts of the slot inside and outside the span. */
type End = { startMicros: number; inside: Span; outside: readonly Span[] };

/** Entries of a piece count (1), or are subtracted from their slot's count (-1). */
export type Piece = Span & { sign: 1 | -1 };

export type DividedTime = {
  /** null: no whole slots. */
  slots: Span | null;
  pieces: readonly Piece[];
  /** The maximal number of entries to read in the pieces. */
  readEntries: number;
};

/** The end of the slots. Spans that reach it are open. */
const slotsEndMicros = 2 ** 32 * 1_000_000;

/** Converts inclusive bounds to a span. */
export function readSpan(bounds: Span): Span {
  const fromMicros = bounds.fromMicros === null || bounds.fromMicros <= 0 ? null : bounds.fromMicros;
  const toMicros = bounds.toMicros === null ? null : bounds.toMicros + 1;
  return { fromMicros, toMicros: toMicros !== null && toMicros < slotsEndMicros ? toMicros : null };
}

/** `count` counts the entries in spans. For each slot at an end, the smaller side is read. */
export async function divideTime(
  span: Span,
  count: (spans: readonly Span[]) => Promise<readonly number[]>,
): Promise<DividedTime> {
  const ends = listEnds(span);
  if (ends.length === 0) return { slots: span, pieces: [], readEntries: 0 };
  const counts = await count(ends.flatMap(({ inside, outside }) => [inside, ...outside]));
  let { fromMicros, toMicros } = span;
  let place = 0;
  let readEntries = 0;
  const pieces: Piece[] = [];
  for (const { startMicros: start, inside, outside } of ends) {
    const insideEntries = counts[place++]!;
    const outsideEntries = outside.reduce(total => total + counts[place++]!, 0);
    const isWhole = outsideEntries < insideEntries;
    readEntries += Math.min(insideEntries, outsideEntries);
    pieces.push(
      ...(isWhole ? outside : [inside]).map(piece => ({ ...piece, sign: isWhole ? -1 : 1 }) as const),
    );
    const end = start + slotMicros;
    if (inside.fromMicros === span.fromMicros) fromMicros = isWhole ? start : end;
    if (inside.toMicros === span.toMicros) toMicros = isWhole ? end : start;
  }
  const isEmpty = fromMicros !== null && toMicros !== null && fromMicros >= toMicros;
  return { slots: isEmpty ? null : { fromMicros, toMicros }, pieces, readEntries };
}

/** Moves each end to the nearest border of a slot. null: no whole slot is left. */
export function divideNearest({ fromMicros, toMicros }: Span): { slots: Span; pieces: Piece[] } | null {
  const pieces: Piece[] = [];
  const from = fromMicros === null ? null : findNearest(fromMicros);
  const to = toMicros === null ? null : findNearest(toMicros);
  if ((to ?? Number.POSITIVE_INFINITY) <= (from ?? 0)) return null;
  if (from !== null && fromMicros !== null && from !== fromMicros)
    pieces.push(makePiece(fromMicros, from, from < fromMicros ? -1 : 1));
  if (to !== null && toMicros !== null && to !== toMicros)
    pieces.push(makePiece(to, toMicros, to > toMicros ? -1 : 1));
  return { slots: { fromMicros: from, toMicros: to }, pieces };
}

function findNearest(micros: number): number {
  return Math.round(micros / slotMicros) * slotMicros;
}

function makePiece(one: number, other: number, sign: Piece['sign']): Piece {
  return { fromMicros: Math.min(one, other), toMicros: Math.max(one, other), sign };
}

function listEnds({ fromMicros, toMicros }: Span): End[] {
  const first = fromMicros === null ? null : findSlot(fromMicros);
  const last = toMicros === null ? null : findSlot(toMicros);
  const isFirstCut = first !== null && first !== fromMicros;
  const isLastCut = last !== null && last !== toMicros;
  const before = { fromMicros: first, toMicros: fromMicros };
  const behind = { fromMicros: toMicros, toMicros: (last ?? 0) + slotMicros };
  if (first !== null && first === last) {
    const outside = [...(isFirstCut ? [before] : []), behind];
    return [{ startMicros: first, inside: { fromMicros, toMicros }, outside }];
  }
  const ends: End[] = [];
  if (isFirstCut)
    ends.push({
      startMicros: first,
      inside: { fromMicros, toMicros: first + slotMicros },
      outside: [before],
    });
  if (isLastCut) ends.push({ startMicros: last, inside: { fromMicros: last, toMicros }, outside: [behind] });
  return ends;
}

function findSlot(micros: number): number {
  return Math.floor(micros / slotMicros) * slotMicros;
}
