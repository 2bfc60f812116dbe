/** Packs packages into the given folder, for tests. */
import { build } from 'rolldown';
import { routerCompilation } from '../packaging/routerCompilation.ts';
import { packedSpecifiers } from './packedPackages.mjs';

const commonJs = 'commonjs:';

/** The bundler exports only the default of a CommonJS package. This exports the same names as Node.js does. */
const withNames = {
  name: 'names of CommonJS packages',
  resolveId: source => (source.startsWith(commonJs) ? source : null),
  load: async id => {
    if (!id.startsWith(commonJs)) return null;
    const specifier = id.slice(commonJs.length);
    const members = Object.keys(await import(specifier)).filter(
      name => /^\w+$/.test(name) && name !== 'default',
    );
    return `import whole from '${specifier}';
      export { whole as default, whole as 'module.exports' };
      export const { ${members.join(', ')} } = whole;`;
  },
};

const [directory] = process.argv.slice(2);
await build({
  input: Object.fromEntries(
    packedSpecifiers.map(specifier => [
      specifier,
      specifier === 'fastify' ? `${commonJs}${specifier}` : specifier,
    ]),
  ),
  platform: 'node',
  plugins: [withNames, routerCompilation],
  output: { dir: directory, format: 'esm' },
});
