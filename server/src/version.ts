/** The running version, and the directory of its package. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

export const { version } = manifest;

/** A bundle lies at the same depth. */
export const programDirectory = fileURLToPath(new URL('..', import.meta.url));
