/** The rule against dead files: a program, a package's exports or a test must reach every file. */
import path from 'node:path/posix';
import { isTest, isTestSupport, type Repository } from '../../../scripts/sources.ts';
import { listImports, listNamedFiles, readPackageNames } from './imports.ts';
import type { Rule } from './rule.ts';

export const reachability: Rule = {
  name: 'every file is used',
  find: repository => {
    const edges = listEdges(repository);
    const programs = reach(listPrograms(repository), edges);
    const tests = reach(listTests(repository), edges);
    return repository.sources
      .map(({ path }) => path)
      .filter(file => !programs.has(file) && !(isTestSupport(file, repository) && tests.has(file)))
      .map(file => ({ path: file, line: 1, advice: describeDeath(file, tests) }));
  },
};

function describeDeath(file: string, tests: ReadonlySet<string>): string {
  if (!tests.has(file)) return 'nothing imports it: import it where it is needed, or remove it.';
  return 'only tests reach it: let the program use it, say "for tests" in its first sentence, or remove it.';
}

function listEdges(repository: Repository): Map<string, string[]> {
  const packageNames = readPackageNames(repository);
  return new Map(
    repository.sources.map(source => {
      const imported = listImports(source, packageNames).map(({ to }) => to);
      const named = listNamedFiles(source, repository);
      return [source.path, [...imported, ...named].filter(file => repository.files.has(file))];
    }),
  );
}

/** Lists files started by people, npm, a browser or a build tool. */
function listPrograms(repository: Repository): string[] {
  const named = [...repository.files]
    .filter(([file]) => /(^|\/)package\.json$|\.sh$|\.html$|\.ya?ml$|Dockerfile$|^\.ci\//.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(/[\w./-]+\.(?:tsx?|mjs)\b/g)].flatMap(([name]) => [
        path.join(path.dirname(file), name),
        path.join('.', name),
        path.join(path.dirname(file), name.replace(/^\//, '')),
      ]),
    );
  const configs = [...repository.files.keys()].filter(file => /\.config\.(ts|mjs)$/.test(file));
  return [...named, ...configs, 'server/src/cli.ts', 'server/src/contract.ts'].filter(file =>
    repository.files.has(file),
  );
}

function listTests({ files }: Repository): string[] {
  return [...files.keys()].filter(isTest);
}

function reach(from: readonly string[], edges: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(from);
  for (const file of reached) for (const next of edges.get(file) ?? []) reached.add(next);
  return reached;
}
