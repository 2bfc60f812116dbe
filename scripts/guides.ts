/** Writes docs/connect.md from the catalogue of tools; with --check it only says whether the file is fresh. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeMarkdown } from '@tapedeck/connection-guides/documents';

const file = path.join(import.meta.dirname, '../docs/connect.md');

export async function areGuidesFresh(): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')) === writeMarkdown();
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) await writeFile(file, writeMarkdown());
  else if (!(await areGuidesFresh())) {
    console.error('docs/connect.md is not what the catalogue says; run `npm run guides`.');
    process.exitCode = 1;
  }
}
