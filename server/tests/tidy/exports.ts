/** The rule against exports without an importer: a reader can change what a file keeps private in that file alone. */
import type { Node } from 'oxc-parser';
import { isTest, isTestSupport, type Repository, type Source } from '../../../scripts/sources.ts';
import { readPackageNames, resolveModule } from './imports.ts';
import type { Finding, Rule } from './rule.ts';

export const exportedNames: Rule = {
  name: 'exports are imported',
  find: repository => {
    if (lacksLegacy(repository)) return [];
    const packageNames = readPackageNames(repository);
    const entrances = new Set([...packageNames.values()].filter(path => !ofThisRepository.test(path)));
    const imported = collectImports(repository, packageNames);
    return repository.sources
      .filter(({ path }) => !isTest(path) && !entrances.has(path) && !plugins.test(path))
      .flatMap(source =>
        listExports(source).flatMap(({ name, line }): Finding[] => {
          const advice = checkExport(source, name, { imported, repository });
          return advice === undefined ? [] : [{ path: source.path, line, advice }];
        }),
      );
  },
};

/** Once V1 and V2 are removed, exports that only they used remain, so that their removal takes one folder and two lines. */
function lacksLegacy({ files }: Repository): boolean {
  return files.has('server/src/http/routes.ts') && !files.has('server/src/http/legacy/routes.ts');
}

/** Loaded by path. */
const plugins = /\.(config|worker)\.ts$|\.mjs$/;
/** Packages used only in this repository, which export each of their files. */
const ofThisRepository = /^packages\/(contract|domain|importing|metadata-store)\//;
const everything = '*';
const programs = /^(server|client|dashboard|packages\/[^/]+)\/src\//;

type Known = { imported: ReadonlyMap<string, readonly string[]>; repository: Repository };

function checkExport(source: Source, name: string, { imported, repository }: Known): string | undefined {
  const importers = [name, everything].flatMap(each => imported.get(`${source.path} ${each}`) ?? []);
  if (importers.length === 0) return `nobody imports ${name}: take away its \`export\`, or what it exports.`;
  if (!programs.test(source.path) || isTestSupport(source.path, repository)) return undefined;
  if (importers.some(path => !isTestSupport(path, repository))) return undefined;
  const uses = source.nodes.filter(node => node.type === 'Identifier' && node.name === name);
  return uses.length > 1 ? undefined : `only tests use ${name}: let the program use it, or remove it.`;
}

/** Collects the importers of each name, by file path and name. */
function collectImports(
  { sources }: Repository,
  packageNames: ReadonlyMap<string, string>,
): Map<string, string[]> {
  const imported = new Map<string, string[]>();
  for (const { path, nodes } of sources) {
    for (const { from, name } of nodes.flatMap(listNames)) {
      const key = `${resolveModule(path, from, packageNames)} ${name}`;
      imported.set(key, [...(imported.get(key) ?? []), path]);
    }
  }
  return imported;
}

type ImportedName = { from: string; name: string };

function listNames(node: Node): ImportedName[] {
  if (node.type === 'ImportDeclaration') {
    return node.specifiers.map(specifier => {
      const isNamed = specifier.type === 'ImportSpecifier';
      const whole = specifier.type === 'ImportDefaultSpecifier' ? 'default' : everything;
      return { from: node.source.value, name: isNamed ? readName(specifier.imported) : whole };
    });
  }
  if (node.type === 'ExportNamedDeclaration' && node.source) {
    const from = node.source.value;
    return node.specifiers.map(({ local }) => ({ from, name: readName(local) }));
  }
  if (node.type === 'ExportAllDeclaration' || node.type === 'TSImportType')
    return [{ from: node.source.value, name: everything }];
  if (node.type === 'ImportExpression' && node.source.type === 'Literal')
    return [{ from: String(node.source.value), name: everything }];
  return [];
}

type Export = { name: string; line: number };

function listExports({ nodes, lineOf }: Source): Export[] {
  return nodes.flatMap(node => {
    const line = lineOf(node.start);
    if (node.type === 'ExportDefaultDeclaration') return [{ name: 'default', line }];
    if (node.type !== 'ExportNamedDeclaration') return [];
    const listed = node.specifiers.map(({ exported }) => readName(exported));
    return [...listed, ...listDeclared(node.declaration)].map(name => ({ name, line }));
  });
}

function listDeclared(declaration: Node | null): string[] {
  if (declaration === null) return [];
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => listBound(id));
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : [];
}

function listBound(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap(each => (each.type === 'Property' ? listBound(each.value) : []));
}

function readName(node: Node): string {
  return node.type === 'Identifier' ? node.name : String('value' in node ? node.value : '');
}
