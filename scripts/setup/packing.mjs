/** Packs packages of hundreds of files into a few. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describePacked, packedPlace, packedSpecifiers } from './packedPackages.mjs';
import { SetupStopped } from './problem.mjs';
import { runProgram } from './program.mjs';

/**
 * Where they cannot be packed, or the result cannot be kept, the service loads them as they are, and only starts more slowly.
 * That there is nothing to pack with is noted, and not found out again at every start.
 */
export async function packPackages({ root, nodePath }, hooks) {
  const draft = join(root, '.cache/packed-draft');
  try {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    const isPossible = existsSync(join(root, 'node_modules/rolldown'));
    if (isPossible) await packInto(draft, { root, nodePath, hooks });
    const files = isPossible ? packedSpecifiers.map(specifier => [specifier, `${specifier}.js`]) : [];
    const [name, index] = describePacked(root, draft, Object.fromEntries(files));
    writeFileSync(join(draft, name), index);
    rmSync(packedPlace(root), { recursive: true, force: true });
    renameSync(draft, packedPlace(root));
  } catch (error) {
    if (error instanceof SetupStopped) throw error;
  }
}

async function packInto(directory, { root, nodePath, hooks }) {
  const input = Object.fromEntries(packedSpecifiers.map(specifier => [specifier, specifier]));
  const script = `
    const { build } = await import('rolldown');
    await build({
      input: ${JSON.stringify(input)},
      platform: 'node',
      output: { dir: ${JSON.stringify(directory)}, format: 'esm' },
    });`;
  const args = ['--input-type=module', '--eval', script];
  const program = { label: 'packing packages', command: nodePath, args, directory: root };
  await runProgram({ ...program, failure: 'The packages cannot be packed.' }, hooks);
}
