/** Compiles the service ahead of its first start, which then takes half the time and a sixth less memory. */
import { join } from 'node:path';
import { runProgram } from './program.mjs';

/** Where tapedeck.sh has Node.js look for it. */
const place = '.cache/compiled';

/** What is started, and what that loads only when it serves. Without arguments the first prints its usage, the last has nothing to do. */
const programs = [
  'cli.ts',
  'app.ts',
  'stores/metadata/sqlite/connectionThread.worker.ts',
  'stores/logs/drafting/draftThread.worker.ts',
];

/** Loads everything and runs nothing of it. Without it the first start compiles for itself, or says what is wrong. */
export async function compileService({ root, nodePath }, hooks) {
  const sources = programs.map(source => JSON.stringify(join(root, 'server/src', source)));
  const script = `
    require('node:module').enableCompileCache(${JSON.stringify(join(root, place))});
    Promise.allSettled([${sources.map(source => `import(${source})`).join(', ')}]);`;
  const args = ['--import', './scripts/packed.mjs', '-e', script];
  const program = { label: 'compiling the service', command: nodePath, args };
  await runProgram({ ...program, directory: root, failure: 'The service cannot be loaded.' }, hooks).catch(
    () => undefined,
  );
}
