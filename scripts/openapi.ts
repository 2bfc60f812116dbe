/** Writes openapi.json from the contract. With --check, only tells whether the file is fresh. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeApi } from '@tapedeck/contract/openapi';
import { routes } from '../server/src/http/routes.ts';

const file = path.join(import.meta.dirname, '../openapi.json');

const separableArea = 'Legacy';

type Api = {
  openapi: string;
  info: object;
  tags: { name: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
  paths: Record<string, Record<string, { tags: string[] }>>;
  components: Components;
};

type Components = Record<string, Record<string, unknown>>;

function printOpenApi(): string {
  return print(describeApi(routes));
}

/** Wider indents would take up a quarter of the file. */
function print(document: object): string {
  return `${JSON.stringify(document, null, 1)}\n`;
}

export async function isOpenApiFresh(): Promise<boolean> {
  return (await readCommittedApi()) === printOpenApi();
}

/** Reads the committed document, without old versions that have been removed from the service. */
export async function readCommittedApi(): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text === '' || routes.some(({ area }) => area === separableArea)) return text;
  // This script writes the file.
  const { tags, 'x-tagGroups': tagGroups, paths, components, ...rest } = JSON.parse(text) as Api;
  const keptPaths = Object.entries(paths).flatMap(([path, operations]) => {
    const kept = Object.entries(operations).filter(
      ([, operation]) => !operation.tags.includes(separableArea),
    );
    return kept.length > 0 ? [[path, Object.fromEntries(kept)]] : [];
  });
  const keptTags = tags.filter(({ name }) => name !== separableArea);
  const groups = tagGroups.map(group => ({
    ...group,
    tags: group.tags.filter(name => name !== separableArea),
  }));
  const keptGroups = groups.filter(group => group.tags.length > 0);
  const kept = {
    ...rest,
    tags: keptTags,
    'x-tagGroups': keptGroups,
    paths: Object.fromEntries(keptPaths),
  };
  return print({ ...kept, components: keepReferred(components, kept.paths) });
}

/** Keeps components that the paths refer to, directly or indirectly. */
function keepReferred(components: Components, paths: object): Components {
  const referred = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(
      /"#\/components\/(\w+)\/([\w.-]+)"/g,
    )) {
      if (referred.has(`${kind}/${name}`)) continue;
      referred.add(`${kind}/${name}`);
      follow(components[kind]?.[name]);
    }
  };
  follow(paths);
  const kinds = Object.entries(components).map(([kind, parts]) => {
    if (kind === 'securitySchemes') return [kind, parts]; // operations name these without a reference
    return [
      kind,
      Object.fromEntries(Object.entries(parts).filter(([name]) => referred.has(`${kind}/${name}`))),
    ];
  });
  return Object.fromEntries(kinds);
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) await writeFile(file, printOpenApi());
  else if (!(await isOpenApiFresh())) {
    console.error('openapi.json is out of date; run `npm run openapi`.');
    process.exitCode = 1;
  }
}
