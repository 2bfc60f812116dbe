/** The running version, from the package. */
import { readFileSync } from 'node:fs';

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

export const { version } = manifest;
