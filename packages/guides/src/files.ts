/** Reads the guides from their folder. Only for Node.js; browsers provide the texts themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Catalogue, openCatalogue } from './catalogue.ts';

export function readCatalogue(folder: string): Catalogue {
  const files = readdirSync(folder).filter(file => file.endsWith('.md'));
  return openCatalogue(
    Object.fromEntries(
      files.map(file => [path.basename(file, '.md'), readFileSync(path.join(folder, file), 'utf8')]),
    ),
  );
}
