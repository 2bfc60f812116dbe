/** The running version, from the package, and where that is installed. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

export const { version } = manifest;

/** Also of a bundle, which lies as deep. */
export const programDirectory = fileURLToPath(new URL('..', import.meta.url));
