/** Removes the old versions' folder and the two lines that name it: the remaining service passes its tests. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, it } from 'node:test';
import { listRepositoryFiles, repositoryRoot } from '../../../scripts/repository.ts';
import { makeDirectory } from '../support/service.ts';

const legacyFolder = 'server/src/http/legacy/';
const registry = 'server/src/http/routes.ts';
/** Folders that the routes do not change. Set-up compares its records with the sources, and rebuilds if they differ. Compiled code is found by its source. */
const unchanged = [
  'node_modules',
  'dashboard/node_modules',
  'dashboard/dist',
  '.cache/packed',
  '.cache/compiled',
];
const notesOfBuilds = ['.cache/dashboard.json', '.cache/packed-packages.json'];
const copy = await makeDirectory();
after(() => copy[Symbol.asyncDispose]());

before(async () => {
  const kept = listRepositoryFiles().filter(file => !file.startsWith(legacyFolder));
  for (const file of kept) {
    const target = path.join(copy.path, file);
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(path.join(repositoryRoot, file), target);
  }
  await mkdir(path.join(copy.path, '.cache'));
  for (const shared of unchanged)
    await symlink(path.join(repositoryRoot, shared), path.join(copy.path, shared));
  for (const note of notesOfBuilds)
    await copyFile(path.join(repositoryRoot, note), path.join(copy.path, note));
  const lines = (await readFile(path.join(copy.path, registry), 'utf8')).split('\n');
  const others = lines.filter(line => !line.includes('legacyModule'));
  assert.equal(others.length, lines.length - 2, 'an import and a line of the list name the old versions');
  await writeFile(path.join(copy.path, registry), others.join('\n'));
});

/** The compiler, a Go program, collects garbage less often, which saves a third of its CPU time. */
const compilerEnvironment = { GOGC: '400' };

const run = (...args: readonly string[]) => runIn(copy.path, [process.execPath, ...args]);

async function runIn(folder: string, [program = '', ...args]: readonly string[]): Promise<string> {
  // The outer test runner's variable must not reach the inner run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(program, args, { cwd: folder, env: { ...env, ...compilerEnvironment } });
  const [printed, complained, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(exitCode, 0, printed + complained);
  return printed;
}

/** Mounts a folder and a file over others, for the rest of its words alone. */
const mounting = 'mount --bind "$1" "$2"; mount --bind "$3" "$4"; shift 4; exec "$@"';

/**
 * In the repository's place, with the changes mounted, because what `npm run check` has kept of its types is only valid there. Then the compiler
 * checks only what the changes concern.
 */
async function checkTypes(): Promise<void> {
  const nothing = path.join(copy.path, 'nothing');
  await mkdir(nothing);
  const place = (file: string) => path.join(repositoryRoot, file);
  const notes = '.cache/tsc.withoutLegacy.json';
  await copyFile(place('.cache/tsc.root.json'), place(notes)).catch(() => {}); // there is none before the first check
  const mounts = [nothing, place(legacyFolder), path.join(copy.path, registry), place(registry)];
  const compiler = [process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.'];
  const options = ['--noEmit', '--incremental', '--tsBuildInfoFile', notes];
  const alone = ['unshare', '--mount', '--propagation', 'private', 'sh', '-ec', mounting, 'sh', ...mounts];
  await runIn(repositoryRoot, [...alone, ...compiler, ...options]);
}

it('its types and its document are valid', async () => {
  await checkTypes();
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
