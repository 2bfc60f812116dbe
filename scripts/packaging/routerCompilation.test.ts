/** Tests that the bundle's router finds the same routes and parameters as the package's. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { routes } from '@tapedeck/contract';
import { build, type Plugin } from 'rolldown';
import { toRouterPath } from '../../server/src/http/routing.ts';
import { repositoryRoot } from '../repository.ts';
import { routerCompilation } from './routerCompilation.ts';

type Found = { params: Record<string, string>; store: unknown } | null;
type Router = {
  on(method: string, path: string, handler: () => void, store: unknown): void;
  find(method: string, path: string, constraints?: Record<string, unknown>): Found;
};

const directory = await mkdtemp(join(tmpdir(), 'router-'));
after(() => rm(directory, { recursive: true }));

async function openRouter(name: string, plugins: readonly Plugin[]): Promise<Router> {
  const file = join(directory, `${name}.mjs`);
  const input = join(repositoryRoot, 'node_modules/find-my-way/index.js');
  await build({ input, platform: 'node', plugins: [...plugins], output: { file, format: 'esm' } });
  // The package's export; its types describe a CommonJS module.
  const { default: open } = (await import(pathToFileURL(file).href)) as { default: () => Router };
  const router = open();
  for (const { id, method, path } of routes) router.on(method, toRouterPath(path), () => {}, id);
  return router;
}

/** Returns variants of a path: filled, cut, lengthened, and with one letter changed at each place. */
function listPaths(path: string): string[] {
  const filled = path.replace(/\{\w+\*\}$/, 'a/b.c').replaceAll(/\{\w+\}/g, 'x%20y');
  const changed = Array.from(
    filled.slice(1),
    (_, at) => `${filled.slice(0, at + 1)}~${filled.slice(at + 2)}`,
  );
  return [filled, filled.slice(0, -1), `${filled}/`, `${filled}z`, filled.toUpperCase(), ...changed];
}

it('routes every path to the same handler as the original router', async () => {
  const [usual, bundled] = [await openRouter('usual', []), await openRouter('bundled', [routerCompilation])];
  let found = 0;
  for (const { method, path } of routes) {
    for (const each of listPaths(path)) {
      for (const constraints of [undefined, {}]) {
        const expected = usual.find(method, each, constraints);
        const actual = bundled.find(method, each, constraints);
        const told = (one: Found) => one && { params: { ...one.params }, store: one.store };
        assert.deepEqual(told(actual), told(expected), `${method} ${each}`);
        if (expected !== null) found++;
      }
    }
  }
  assert.ok(found > routes.length);
  assert.match(await readFile(join(directory, 'bundled.mjs'), 'utf8'), /function compileOnce/);
});
