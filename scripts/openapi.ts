/** Writes openapi.json from the contract; with --check it only says whether the file is fresh. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeApi } from '../server/src/contract/openapi.ts';
import { routes } from '../server/src/http/rooms.ts';
import { version } from '../server/src/version.ts';

const file = path.join(import.meta.dirname, '../openapi.json');

export function printOpenApi(): string {
  return `${JSON.stringify(describeApi(routes, version), null, 2)}\n`;
}

export async function isOpenApiFresh(): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')) === printOpenApi();
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) await writeFile(file, printOpenApi());
  else if (!(await isOpenApiFresh())) {
    console.error('openapi.json is not what the contract says; run `npm run openapi`.');
    process.exitCode = 1;
  }
}
