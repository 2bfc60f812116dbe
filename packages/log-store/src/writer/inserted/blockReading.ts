/** Reads what a search may be for from a block of entries, while the block is on its way to the engine. */
import {
  countLeaves,
  readVarint,
  startWalk,
  takeColumn,
  takeTexts,
  type Walk,
} from '../../blocks/blockWalk.ts';
import { blockColumns } from '../../blocks/native.ts';
import type { LetterGrams, TextPlace } from './letterGrams.ts';
import type { PairFilter } from './pairFilter.ts';
import { hashBytes, joinHashes, valueBytesMin } from './pairHash.ts';

/** What some inserted entries contain. */
export type TextSet = {
  /** Hashes of path and value. */
  pairs: PairFilter;
  /** Within identifiers, and anywhere in `parentId`. */
  letters: LetterGrams;
};

/** Adds the texts of a block. Returns the number of its rows. */
export function addTexts(block: Buffer, set: TextSet): number {
  const walk = startWalk(block);
  const text = {
    bytes: block,
    view: new DataView(block.buffer, block.byteOffset, block.length),
    start: 0,
    end: 0,
  };
  for (const { name } of blockColumns) {
    if (name === 'metadata') break; // the last column
    const column = takeColumn(walk, name);
    if (name !== 'body' && name !== 'resource' && name !== 'parentId') continue;
    if (holdsFolded(column)) set.letters.addAll();
    const texts = { ...walk, position: walk.position - column.length };
    while (texts.position < walk.position) {
      takePlace(texts, text);
      if (name === 'parentId') set.letters.addLetters(text);
      else set.letters.addIdentifiers(text);
    }
  }
  addLeaves(walk, text, set);
  return walk.rows;
}

function addLeaves(paths: Walk, text: TextPlace, { pairs, letters }: TextSet): void {
  const leaves = countLeaves(takeColumn(paths, 'metadata'));
  const values = { ...paths };
  takeTexts(values, leaves); // the paths of all leaves precede their values
  if (holdsFolded(values.block.subarray(values.position))) letters.addAll();
  for (let leaf = 0; leaf < leaves; leaf++) {
    takePlace(paths, text);
    const { start, end } = text;
    takePlace(values, text);
    if (text.end - text.start < valueBytesMin) continue; // also too short for a digit and four letters
    const { view } = text;
    pairs.add(joinHashes(hashBytes(view, start, end), hashBytes(view, text.start, text.end)));
    letters.addIdentifiers(text);
  }
  if (values.position !== values.block.length) throw new Error('A block goes on behind its last value.');
}

function takePlace(walk: Walk, text: TextPlace): void {
  const length = readVarint(walk);
  text.start = walk.position;
  walk.position += length;
  text.end = walk.position;
}

/** Whether a text has one of the only two characters that fold to ASCII letters: the Kelvin sign and the long s. */
function holdsFolded(texts: Buffer): boolean {
  return texts.includes('\u212a') || texts.includes('\u017f');
}
