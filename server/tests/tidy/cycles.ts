/** The rule that imports have no cycles: no file imports itself through others. */
import type { Repository } from '../../../scripts/sources.ts';
import { listImports, readPackageNames } from './imports.ts';
import type { Finding, Rule } from './rule.ts';

export const cycles: Rule = {
  name: 'no file imports itself through others',
  find: repository => {
    const edges = listValueImports(repository);
    return [...edges.keys()].flatMap((path): Finding[] => {
      const cycle = findWay(path, path, edges);
      // Reports each cycle once, at its first file.
      if (cycle === undefined || cycle.some(step => step < path)) return [];
      const advice = `imports itself by way of ${cycle.join(' and ')}: move what they share into a separate file.`;
      return [{ path, line: 1, advice }];
    });
  },
};

function listValueImports(repository: Repository): Map<string, string[]> {
  const packageNames = readPackageNames(repository);
  const entries = repository.sources.map((source): [string, string[]] => {
    const imports = listImports(source, packageNames).filter(({ isTypeOnly }) => !isTypeOnly);
    return [source.path, imports.map(({ to }) => to).filter(to => repository.files.has(to))];
  });
  return new Map(entries);
}

/** Finds the files on a path between two files, without the ends. */
function findWay(from: string, to: string, edges: ReadonlyMap<string, string[]>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const waiting = [from];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    for (const next of edges.get(path) ?? []) {
      if (next === to) return unwind(path, from, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, path);
      waiting.push(next);
    }
  }
  return undefined;
}

function unwind(last: string, first: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way: string[] = [];
  for (let path: string | undefined = last; path !== undefined && path !== first; path = cameFrom.get(path)) {
    way.unshift(path);
  }
  return way;
}
