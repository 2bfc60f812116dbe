/** Loaded before a program: its imports of packages that set-up has packed find the one file that was made of each. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const place = new URL('../.cache/packed/', import.meta.url);
const urls = new Map(
  Object.entries(readFiles()).map(([specifier, file]) => [specifier, new URL(file, place).href]),
);

if (urls.size > 0) {
  registerHooks({
    resolve(specifier, context, next) {
      const url = urls.get(specifier);
      return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true };
    },
  });
}

/** None where nothing was packed: everything is loaded as it is then. */
function readFiles() {
  try {
    return JSON.parse(readFileSync(new URL('index.json', place), 'utf8')).files;
  } catch {
    return {};
  }
}
