/** Removes the old versions' folder and the two lines that name it: the remaining service passes its tests. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, it } from 'node:test';
import { listRepositoryFiles, repositoryRoot } from '../../../scripts/repository.ts';
import { makeDirectory } from '../support/service.ts';

const legacyFolder = 'server/src/http/legacy/';
const registry = 'server/src/http/routes.ts';
/** Folders that the routes do not change. Set-up compares its records with the sources, and rebuilds if they differ. */
const unchanged = [
  'node_modules',
  'dashboard/node_modules',
  'dashboard/dist',
  '.cache/node', // absent if the machine's Node.js is new enough
  '.cache/packed',
  '.cache/compiled',
].filter(folder => existsSync(path.join(repositoryRoot, folder)));
const notesOfBuilds = ['.cache/dashboard.json', '.cache/packed-packages.json'];
const productConfig = { extends: './tsconfig.json', include: ['server/src'] };
const productConfigName = 'tsconfig.product.json';
const importOfLegacy = /\b(?:from|import\() ?'[^']*\/legacy\//;
const copy = await makeDirectory();
after(() => copy[Symbol.asyncDispose]());

before(async () => {
  const kept = listRepositoryFiles().filter(file => !file.startsWith(legacyFolder));
  const importing: string[] = [];
  for (const file of kept) {
    const target = path.join(copy.path, file);
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(path.join(repositoryRoot, file), target);
    if (file.endsWith('.ts') && importOfLegacy.test(await readFile(target, 'utf8'))) importing.push(file);
  }
  assert.deepEqual(importing, [registry], 'nothing else needs the folder');
  for (const shared of unchanged) await mkdir(path.join(copy.path, shared), { recursive: true });
  for (const note of notesOfBuilds)
    await copyFile(path.join(repositoryRoot, note), path.join(copy.path, note));
  await writeFile(path.join(copy.path, productConfigName), JSON.stringify(productConfig));
  const lines = (await readFile(path.join(copy.path, registry), 'utf8')).split('\n');
  const others = lines.filter(line => !line.includes('legacyModule'));
  assert.equal(others.length, lines.length - 2, 'an import and a line of the list name the old versions');
  await writeFile(path.join(copy.path, registry), others.join('\n'));
});

/**
 * Mounts the copy over the repository, for one program alone. Compiled code is only valid under the same paths.
 */
const mounting = `copy=$1 root=$2; shift 2
  for folder in ${unchanged.join(' ')}; do mount --bind "$root/$folder" "$copy/$folder"; done
  mount --rbind "$copy" "$root"
  cd "$root"
  exec "$@"`;

/** Runs Node.js in the repository without the old versions. */
async function run(...args: readonly string[]): Promise<string> {
  // The outer test runner's variable must not reach the inner run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const alone = [
    '--mount',
    '--propagation',
    'private',
    'sh',
    '-ec',
    mounting,
    'sh',
    copy.path,
    repositoryRoot,
  ];
  const child = spawn('unshare', [...alone, process.execPath, ...args], { env });
  const [printed, complained, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(exitCode, 0, printed + complained);
  return printed;
}

it('its types and its document are valid', async () => {
  // Only the product's, because no test imports from the folder.
  await run('node_modules/typescript/bin/tsc', '-p', productConfigName, '--noEmit', '--checkers', '1');
  await run('scripts/openapi.ts', '--check');
});

/** Another program's protocol may have a path that looks like an old version's. */
it('its contract has no route of the old versions', async () => {
  const listing =
    "import { routes } from './server/src/http/routes.ts'; console.log(routes.map(({ path, isForeign }) => isForeign ? '' : path).join('\\n'));";
  const paths = (await run('--input-type=module', '--eval', listing)).split('\n');
  assert.ok(paths.includes('/api/v3/file') && paths.includes('/api/v3/logs'));
  assert.deepEqual(
    paths.filter(each => /^\/api\/(?:v2\/|image|video|audio|logs|presigned-url)/.test(each)),
    [],
  );
});

/** Tests that could depend on versions: routes with their contract and document, each of their errors, uploads and drop-in payloads. */
const routeTests = [
  'server/src/http',
  'http/openapi',
  'http/declaredErrors',
  'http/dropIn',
  'files/uploads',
  'files/presigned.',
  'files/mediaReading',
];

it('its tests pass', async () => {
  const printed = await run('scripts/test.ts', ...routeTests);
  assert.match(printed, /^\d+ passed, 0 failed$/m);
});
