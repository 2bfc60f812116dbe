/** Finds npm and calls it. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

/** Flags of every npm call: quiet, complete whatever the user's settings leave out, and fast to notice a missing network. */
export const npmFlags = [
  '--loglevel=error',
  '--no-audit',
  '--no-fund',
  '--ignore-scripts',
  '--include=dev',
  '--include=optional',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];

/**
 * Uses the npm next to the given Node.js, otherwise the machine's. Old versions do not install all packages: npm skips optional packages that its
 * Node.js is too old for, and npm 9 skips those that name a C library.
 */
export function npmCommand(nodePath, args) {
  const beside = join(nodePath, '../../../npm/bin/npm-cli.js');
  const npmPath = existsSync(beside) ? beside : findNpm();
  return npmPath ? { command: nodePath, args: [npmPath, ...args] } : { command: 'npm', args };
}

function findNpm() {
  const caller = process.env.npm_execpath;
  if (caller && basename(caller) === 'npm-cli.js' && existsSync(caller)) return caller;
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(directory, 'npm');
    if (!directory || !existsSync(path)) continue;
    const real = realpathSync(path);
    return basename(real) === 'npm-cli.js' ? real : undefined;
  }
  return undefined;
}
