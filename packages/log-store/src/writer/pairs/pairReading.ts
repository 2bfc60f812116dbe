/** Adds the pairs of path and value in a block of entries to a filter, while the block is on its way to the engine. */

import { countLeaves, readVarint, startWalk, takeColumn, takeTexts } from '../../blocks/blockWalk.ts';
import { blockColumns } from '../../blocks/native.ts';
import type { PairFilter } from './pairFilter.ts';
import { hashBytes, joinHashes, valueBytesMin } from './pairHash.ts';

/** Returns the number of the block's rows. */
export function addPairs(block: Buffer, filter: PairFilter): number {
  const paths = startWalk(block);
  for (const { name } of blockColumns) if (name !== 'metadata') takeColumn(paths, name); // the last column
  const leaves = countLeaves(takeColumn(paths, 'metadata'));
  const values = { ...paths };
  takeTexts(values, leaves); // the paths of all leaves precede their values
  for (let leaf = 0; leaf < leaves; leaf++) {
    const pathLength = readVarint(paths);
    const valueLength = readVarint(values);
    const [path, value] = [paths.position, values.position];
    paths.position += pathLength;
    values.position += valueLength;
    if (valueLength < valueBytesMin) continue;
    filter.add(
      joinHashes(hashBytes(block, path, path + pathLength), hashBytes(block, value, value + valueLength)),
    );
  }
  if (values.position !== block.length) throw new Error('A block goes on behind its last value.');
  return paths.rows;
}
