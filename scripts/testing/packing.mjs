/** Packs packages into the given folder, for tests. */
import { build } from 'rolldown';
import { packedSpecifiers } from './packedPackages.mjs';

const [directory] = process.argv.slice(2);
await build({
  input: Object.fromEntries(packedSpecifiers.map(specifier => [specifier, specifier])),
  platform: 'node',
  output: { dir: directory, format: 'esm' },
});
