/** Rules about the engines: each is a package with a README, and its exports are the only way in. */
import path from 'node:path/posix';
import type { Node } from 'oxc-parser';
import { isTest } from '../../../scripts/sources.ts';
import { readPackageNames } from './imports.ts';
import type { Finding, Rule } from './rule.ts';

export const packageEntryPoints: Rule = {
  name: 'packages are imported only through their exports',
  find: ({ sources }) =>
    sources.flatMap(({ path: from, nodes, lineOf }) =>
      nodes.flatMap((node): Finding[] => {
        const target = readTarget(node);
        if (target === undefined || !target.startsWith('.')) return [];
        const to = path.join(path.dirname(from), target);
        if (packageOf(to) === packageOf(from)) return [];
        const inside = packageOf(to);
        // The repository's scripts start third-party programs, such as a real S3.
        if (isTest(from) && to.startsWith('scripts/engines/')) return [];
        const advice = inside
          ? `reaches into ${inside} (${to}): import it by the name of the package.`
          : `leaves its package for ${to}: an engine knows nothing but itself.`;
        return [{ path: from, line: lineOf(node.start), advice }];
      }),
    ),
};

const readmeParts = ['```ts', '## What it promises', '## Trying it alone'];

export const packageReadmes: Rule = {
  name: 'every package states its purpose',
  find: ({ files }) =>
    [...files.keys()]
      .filter(file => /^packages\/[^/]+\/package\.json$/.test(file))
      .map(file => path.join(path.dirname(file), 'README.md'))
      .flatMap(readme => {
        const text = files.get(readme) ?? '';
        return readmeParts
          .filter(part => !text.includes(part))
          .map(part => ({
            path: readme,
            line: 1,
            advice: `lacks "${part}": show how the package is used, say what it promises, and how to try it alone.`,
          }));
      }),
};

const readmeImport = /^import (?:type )?\{([^}]*)\} from '(@tapedeck\/[^']+)';/gm;

export const readmeNames: Rule = {
  name: 'READMEs show names that their packages export',
  find: repository => {
    const { files } = repository;
    const packageNames = readPackageNames(repository);
    return [...files]
      .filter(([file]) => /^packages\/[^/]+\/README\.md$/.test(file))
      .flatMap(([path, text]) =>
        [...text.matchAll(readmeImport)].flatMap(({ 1: names = '', 2: name = '', index }) => {
          const exported = files.get(packageNames.get(name) ?? '') ?? '';
          if (exported.includes('export *')) return [];
          return names
            .split(',')
            .map(each => each.trim().replace(/^type /, ''))
            .filter(each => each !== '' && !new RegExp(`\\b${each}\\b`).test(exported))
            .map(each => ({
              path,
              line: text.slice(0, index).split('\n').length,
              advice: `shows ${each}, which ${name} does not export.`,
            }));
        }),
      );
  },
};

function packageOf(file: string): string | undefined {
  return /^packages\/[^/]+/.exec(file)?.[0];
}

function readTarget(node: Node): string | undefined {
  const isImport =
    node.type === 'ImportDeclaration' ||
    node.type === 'ExportAllDeclaration' ||
    node.type === 'ExportNamedDeclaration' ||
    node.type === 'ImportExpression' ||
    node.type === 'TSImportType';
  if (!isImport || node.source?.type !== 'Literal') return undefined;
  return String(node.source.value);
}
