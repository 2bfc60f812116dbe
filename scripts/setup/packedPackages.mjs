/**
 * What was made of packages that are hundreds of small files: a few large ones, which Node.js loads ten times as fast. Half of
 * the time that loading takes goes into finding and opening files. `packing.mjs` makes them.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What is imported of them. What they share is packed once. */
export const packedSpecifiers = ['kysely', 'typebox', 'typebox/compile', 'typebox/value'];

export const packedPlace = root => join(root, '.cache/packed');

const indexName = 'index.json';

/**
 * The file of each import; none where there was nothing to pack with. Returns undefined when the packages are to be packed
 * (again): with another lock file, and when a power cut or a person took something away.
 */
export function readPacked(root) {
  try {
    const { made, sizes, files } = JSON.parse(readFileSync(join(packedPlace(root), indexName), 'utf8'));
    const isWhole = JSON.stringify(sizes) === JSON.stringify(measure(packedPlace(root)));
    return made === describeMaking(root) && isWhole ? files : undefined;
  } catch {
    return undefined;
  }
}

/** What the folder is to hold beside the files themselves. */
export function describePacked(root, directory, files) {
  return [indexName, JSON.stringify({ made: describeMaking(root), sizes: measure(directory), files })];
}

/** Names and sizes of what was packed. */
function measure(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== indexName)
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map(file => [relative(directory, file), statSync(file).size]);
}

function describeMaking(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lock).update(packedSpecifiers.join()).digest('hex');
}
