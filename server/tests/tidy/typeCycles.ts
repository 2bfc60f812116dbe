/** The rule that import circles stay small, even type-only ones, so that files can be understood one after another. */
import { isTestSupport, type Repository } from '../../../scripts/sources.ts';
import { listImports, readPackageNames } from './imports.ts';
import type { Finding, Rule } from './rule.ts';

const circleFilesMax = 3; // what a reader grasps at a glance

export const circles: Rule = {
  name: `at most ${circleFilesMax} files import each other, types included`,
  find: repository => {
    const reached = listReached(listAllImports(repository));
    return [...reached].flatMap(([path, others]): Finding[] => {
      const circle = [...others].filter(other => other === path || reached.get(other)?.has(path)).sort();
      // Reports each circle once, at its first file.
      if (circle.length <= circleFilesMax || circle[0] !== path) return [];
      const advice = `${circle.length} files import each other (${circle.join(', ')}): put the types they share into a file that imports none of them.`;
      return [{ path, line: 1, advice }];
    });
  },
};

function listAllImports(repository: Repository): Map<string, readonly string[]> {
  const packageNames = readPackageNames(repository);
  const entries = repository.sources
    .filter(({ path }) => !isTestSupport(path, repository))
    .map((source): [string, string[]] => [
      source.path,
      listImports(source, packageNames).map(({ to }) => to),
    ]);
  return new Map(entries);
}

/** Lists the files that each file imports, directly or through others. */
function listReached(imports: ReadonlyMap<string, readonly string[]>): Map<string, ReadonlySet<string>> {
  const reach = (from: string): ReadonlySet<string> => {
    const reached = new Set<string>();
    const waiting = [from];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      for (const next of imports.get(path) ?? []) {
        if (reached.has(next) || !imports.has(next)) continue;
        reached.add(next);
        waiting.push(next);
      }
    }
    return reached;
  };
  return new Map([...imports.keys()].map(path => [path, reach(path)]));
}
