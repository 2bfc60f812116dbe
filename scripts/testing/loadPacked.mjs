/** Loaded before a test, so that its imports of packed packages find the packed files. Processes of services and threads load it, too. */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { packedPackages, packedSpecifiers } from './packedPackages.mjs';

const directory = join(resolve(fileURLToPath(import.meta.url), '../../..'), packedPackages.output);
const files = packedSpecifiers.map(specifier => [specifier, join(directory, `${specifier}.js`)]);
const urls = new Map(
  files
    .filter(([, file]) => existsSync(file))
    .map(([specifier, file]) => [specifier, pathToFileURL(file).href]),
);

registerHooks({
  resolve(specifier, context, next) {
    const url = urls.get(specifier);
    return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true };
  },
});

const runsTests = isMainThread && process.execArgv.some(flag => flag.startsWith('--test-reporter'));
if (runsTests) await import('./followTests.mjs');
