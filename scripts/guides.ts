/** Writes docs/connect.md, the index of the tools in docs/connect. With --check, only tells whether it is fresh. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeIndex } from '@tapedeck/guides';
import { readCatalogue } from '@tapedeck/guides/files';

const docs = path.join(import.meta.dirname, '../docs');
const file = path.join(docs, 'connect.md');
const write = () => writeIndex(readCatalogue(path.join(docs, 'connect')).guides, 'connect');

export async function areGuidesFresh(): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')) === write();
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) await writeFile(file, write());
  else if (!(await areGuidesFresh())) {
    console.error('docs/connect.md does not list the guides in docs/connect; run `npm run guides`.');
    process.exitCode = 1;
  }
}
