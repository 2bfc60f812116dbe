/** Splits an untrusted text into pieces that look alike, by colours, search matches and URLs. */

import { markTerms } from '../../../format/searchTerms.ts';
import { splitAddresses } from '../../../format/urls.ts';
import { type ColouredText, type Look, plainLook, readColours } from './colours.ts';

export type Piece = {
  /** Position in the plain text. */
  start: number;
  text: string;
  look: Look;
  isMatch: boolean;
  address: string | null;
};

type Stretch<T> = { start: number; end: number; value: T };

export function readSpans(text: string, terms: readonly string[], hasLinks: boolean): readonly Piece[] {
  return cutSpans(readColours(text), terms, hasLinks);
}

export function cutSpans(
  { plain, runs, links = [] }: ColouredText & { links?: readonly Stretch<string>[] },
  terms: readonly string[],
  hasLinks: boolean,
): readonly Piece[] {
  const looks = runs.map(({ start, end, look }) => ({ start, end, value: look }));
  const matches = terms.length === 0 ? [] : listMatches(plain, terms);
  const addresses = links.length > 0 || !hasLinks ? links : listAddresses(plain);
  const edges = [looks, matches, addresses].flatMap(each => each.flatMap(({ start, end }) => [start, end]));
  const cuts = [...new Set([0, ...edges, plain.length])].sort((one, other) => one - other);
  const [findLook, findMatch, findAddress] = [follow(looks), follow(matches), follow(addresses)];
  return cuts.slice(0, -1).map((start, index) => ({
    start,
    text: plain.slice(start, cuts[index + 1]),
    look: findLook(start) ?? plainLook,
    isMatch: findMatch(start) ?? false,
    address: findAddress(start) ?? null,
  }));
}

/** Returns the pieces of a range, cut at its ends. */
export function sliceSpans(pieces: readonly Piece[], start: number, end: number): Piece[] {
  return pieces.flatMap(piece => {
    const [from, to] = [Math.max(piece.start, start), Math.min(piece.start + piece.text.length, end)];
    if (from >= to) return [];
    return [{ ...piece, start: from, text: piece.text.slice(from - piece.start, to - piece.start) }];
  });
}

/** Looks up ranges at increasing positions. */
function follow<T>(stretches: readonly Stretch<T>[]): (position: number) => T | undefined {
  let next = 0;
  return position => {
    while ((stretches[next]?.end ?? Number.POSITIVE_INFINITY) <= position) next++;
    const stretch = stretches[next];
    return stretch !== undefined && stretch.start <= position ? stretch.value : undefined;
  };
}

function listMatches(plain: string, terms: readonly string[]): Stretch<true>[] {
  return place(markTerms(plain, terms)).flatMap(({ piece, start, end }) =>
    piece.isMatch ? [{ start, end, value: true }] : [],
  );
}

function listAddresses(plain: string): Stretch<string>[] {
  return place(splitAddresses(plain)).flatMap(({ piece, start, end }) =>
    piece.isAddress ? [{ start, end, value: piece.text }] : [],
  );
}

function place<T extends { text: string }>(pieces: readonly T[]): { piece: T; start: number; end: number }[] {
  let end = 0;
  return pieces.map(piece => {
    const start = end;
    end += piece.text.length;
    return { piece, start, end };
  });
}
