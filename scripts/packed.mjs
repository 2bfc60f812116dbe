/** Loaded before a program: its imports of packages that set-up has packed find what was made of each. */
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packedPlace, readPacked } from './setup/packedPackages.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const files = Object.entries(readPacked(root) ?? {});
const urls = new Map(
  files.map(([specifier, file]) => [specifier, pathToFileURL(join(packedPlace(root), file)).href]),
);

if (urls.size > 0) {
  registerHooks({
    resolve(specifier, context, next) {
      const url = urls.get(specifier);
      return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true };
    },
  });
}
