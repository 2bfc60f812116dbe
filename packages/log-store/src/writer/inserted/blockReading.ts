/** Reads what a search may be for from a block of entries, while the block is on its way to the engine. */
import { takeTurns } from '@tapedeck/concurrency/turns';
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

const bytesInATurn = 64 * 1024; // read in a tenth of a millisecond
const bytesOfText = 16; // a text's share of the work besides its bytes

/** Adds the texts of a block, in turns, because it may have 32 MiB. Resolves to the number of its rows. */
export async function addTexts(block: Buffer, set: TextSet): Promise<number> {
  const walk = startWalk(block);
  const text = new ReadText(block);
  for (const { name } of blockColumns) {
    if (name === 'metadata') break; // the last column
    const column = takeColumn(walk, name);
    if (name !== 'body' && name !== 'resource' && name !== 'parentId') continue;
    if (holdsFolded(column)) set.letters.addAll();
    const texts = { ...walk, position: walk.position - column.length };
    while (texts.position < walk.position) {
      text.take(texts);
      if (name === 'parentId') set.letters.addLetters(text);
      else set.letters.addIdentifiers(text);
      const turn = text.takeTurn();
      if (turn !== null) await turn;
    }
  }
  await addLeaves(walk, text, set);
  return walk.rows;
}

async function addLeaves(paths: Walk, text: ReadText, { pairs, letters }: TextSet): Promise<void> {
  const leaves = countLeaves(takeColumn(paths, 'metadata'));
  const values = { ...paths };
  takeTexts(values, leaves); // the paths of all leaves precede their values
  if (holdsFolded(values.block.subarray(values.position))) letters.addAll();
  for (let leaf = 0; leaf < leaves; leaf++) {
    text.take(paths);
    const { view, start, end } = text;
    text.take(values);
    const turn = text.takeTurn();
    if (turn !== null) await turn;
    if (text.end - text.start < valueBytesMin) continue; // also too short for a digit and four letters
    pairs.add(joinHashes(hashBytes(view, start, end), hashBytes(view, text.start, text.end)));
    letters.addIdentifiers(text);
  }
  if (values.position !== values.block.length) throw new Error('A block goes on behind its last value.');
}

/** The text of a block that is being read: one object for all, because there are millions. */
class ReadText implements TextPlace {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  start = 0;
  end = 0;
  #bytesRead = 0;
  readonly #takeTurn = takeTurns(1);

  constructor(block: Buffer) {
    this.bytes = block;
    this.view = new DataView(block.buffer, block.byteOffset, block.length);
  }

  take(walk: Walk): void {
    const length = readVarint(walk);
    this.start = walk.position;
    walk.position += length;
    this.end = walk.position;
    this.#bytesRead += bytesOfText + length;
  }

  /** Lets other work have its turn after many bytes. */
  takeTurn(): Promise<void> | null {
    if (this.#bytesRead < bytesInATurn) return null;
    this.#bytesRead = 0;
    return this.#takeTurn();
  }
}

/** Whether a text has one of the only two characters that fold to ASCII letters: the Kelvin sign and the long s. */
function holdsFolded(texts: Buffer): boolean {
  return texts.includes('\u212a') || texts.includes('\u017f');
}
