/**
 * Packages that are hundreds of small files become one file each, which Node.js loads ten times as fast: half of what a start
 * takes goes into finding and opening files. `scripts/packed.mjs` has the imports find them.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './program.mjs';

/** What is imported of them. What they share is packed once. */
const specifiers = ['kysely', 'typebox', 'typebox/compile', 'typebox/value'];

const place = root => join(root, '.cache/packed');

/** True when the packages of this lock file were packed, or could not be. */
export function packagesArePacked(root) {
  try {
    return JSON.parse(readFileSync(join(place(root), 'index.json'), 'utf8')).lock === describeLock(root);
  } catch {
    return false;
  }
}

/** Where they cannot be packed the service loads them as they are, and only starts more slowly. */
export async function packPackages({ root, nodePath }, hooks) {
  const draft = join(root, '.cache/packed-draft');
  rmSync(draft, { recursive: true, force: true });
  const isPacked = await packInto(draft, { root, nodePath, hooks });
  const files = isPacked ? specifiers.map(specifier => [specifier, `${specifier}.js`]) : [];
  mkdirSync(draft, { recursive: true });
  const index = { lock: describeLock(root), files: Object.fromEntries(files) };
  writeFileSync(join(draft, 'index.json'), JSON.stringify(index));
  rmSync(place(root), { recursive: true, force: true });
  renameSync(draft, place(root));
}

async function packInto(directory, { root, nodePath, hooks }) {
  const input = Object.fromEntries(specifiers.map(specifier => [specifier, specifier]));
  const script = `
    const { build } = await import('rolldown');
    await build({
      input: ${JSON.stringify(input)},
      platform: 'node',
      output: { dir: ${JSON.stringify(directory)}, format: 'esm' },
    });`;
  const args = ['--input-type=module', '--eval', script];
  const program = { label: 'packing packages', command: nodePath, args, directory: root };
  try {
    await runProgram({ ...program, failure: 'The packages cannot be packed.' }, hooks);
    return true;
  } catch {
    return false;
  }
}

function describeLock(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}
