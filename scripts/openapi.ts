/** Writes openapi.json from the contract; with --check it only says whether the file is fresh. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeApi } from '../server/src/contract/openapi.ts';
import { routes } from '../server/src/http/routes.ts';

const file = path.join(import.meta.dirname, '../openapi.json');

const separableArea = 'Legacy';

type Api = {
  openapi: string;
  info: object;
  tags: { name: string }[];
  paths: Record<string, Record<string, { tags: string[] }>>;
};

function printOpenApi(): string {
  return `${JSON.stringify(describeApi(routes), null, 2)}\n`;
}

export async function isOpenApiFresh(): Promise<boolean> {
  return (await readCommittedApi()) === printOpenApi();
}

/** The committed document, without the old versions where they have been taken out of the service. */
export async function readCommittedApi(): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text === '' || routes.some(({ area }) => area === separableArea)) return text;
  // Written by this very script.
  const { tags, paths, ...rest } = JSON.parse(text) as Api;
  const keptPaths = Object.entries(paths).flatMap(([path, operations]) => {
    const kept = Object.entries(operations).filter(
      ([, operation]) => !operation.tags.includes(separableArea),
    );
    return kept.length > 0 ? [[path, Object.fromEntries(kept)]] : [];
  });
  const keptTags = tags.filter(({ name }) => name !== separableArea);
  const { openapi, info, ...others } = rest;
  const document = { openapi, info, tags: keptTags, paths: Object.fromEntries(keptPaths), ...others };
  return `${JSON.stringify(document, null, 2)}\n`;
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) await writeFile(file, printOpenApi());
  else if (!(await isOpenApiFresh())) {
    console.error('openapi.json is not what the contract says; run `npm run openapi`.');
    process.exitCode = 1;
  }
}
