/** Finds which files a file refers to: by import, by export, and by the path of a program it starts. */
import path from 'node:path/posix';
import type { Node } from 'oxc-parser';
import type { Repository, Source } from '../../../scripts/sources.ts';

export type Import = { to: string; line: number; isTypeOnly: boolean };

/** Maps the names by which workspaces import each other to the files behind them. */
export function readPackageNames({ files }: Repository): Map<string, string> {
  const names = new Map<string, string>();
  for (const [file, text] of files) {
    if (path.basename(file) !== 'package.json') continue;
    const { name, exports = {} } = JSON.parse(text);
    for (const [subpath, target] of Object.entries(exports)) {
      const exported = path.join(path.dirname(file), String(target));
      for (const [found, star] of expand(exported, files))
        names.set(path.join(name, subpath.replace('*', star)), found);
    }
  }
  return names;
}

/** Expands a path of `exports` to its files, each with the text that its star stands for. */
function expand(target: string, files: Repository['files']): [file: string, star: string][] {
  const [before = '', after] = target.split('*');
  if (after === undefined) return [[target, '']];
  return [...files.keys()]
    .filter(file => file.startsWith(before) && file.endsWith(after))
    .map(file => [file, file.slice(before.length, -after.length)]);
}

/** Lists imported modules: repository files by path, packages by name. */
export function listImports(source: Source, packageNames: ReadonlyMap<string, string>): Import[] {
  return source.nodes.flatMap((node): Import[] => {
    const line = source.lineOf(node.start);
    const to = (target: string) => resolveModule(source.path, target, packageNames);
    if (node.type === 'ImportDeclaration') {
      const named = node.specifiers.filter(specifier => specifier.type === 'ImportSpecifier');
      const areTypes = named.length > 0 && named.length === node.specifiers.length;
      const isTypeOnly =
        node.importKind === 'type' || (areTypes && named.every(({ importKind }) => importKind === 'type'));
      return [{ to: to(node.source.value), line, isTypeOnly }];
    }
    if (node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source)) {
      return [{ to: to(node.source?.value ?? ''), line, isTypeOnly: node.exportKind === 'type' }];
    }
    if (node.type === 'ImportExpression' && node.source.type === 'Literal') {
      return [{ to: to(String(node.source.value)), line, isTypeOnly: false }];
    }
    if (node.type === 'TSImportType') return [{ to: to(node.source.value), line, isTypeOnly: true }];
    return [];
  });
}

/** Lists files named in strings, such as a worker's program, relative to the file or to the root. */
export function listNamedFiles({ path: from, nodes }: Source, { files }: Repository): string[] {
  return nodes
    .map(readFileName)
    .filter(name => name !== undefined)
    .flatMap(name => [path.join(path.dirname(from), name), name].filter(file => files.has(file)));
}

/** Reads `'./x.worker.ts'`, or `./x.worker` with the running program's extension, which differs once compiled. */
function readFileName(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string' && /\.(ts|tsx|mjs)$/.test(node.value))
    return node.value;
  const start =
    node.type === 'TemplateLiteral' && node.expressions.length === 1 ? node.quasis[0]?.value.cooked : null;
  return start ? `${start}.ts` : undefined;
}

export function resolveModule(
  from: string,
  target: string,
  packageNames: ReadonlyMap<string, string>,
): string {
  if (target.startsWith('.')) return path.join(path.dirname(from), target);
  return packageNames.get(target) ?? target;
}
