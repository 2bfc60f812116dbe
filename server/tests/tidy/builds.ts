/** The rule about builds: set-up rebuilds the dashboard when a file that goes into it changes. */
import path from 'node:path/posix';
import type { Repository } from '../../../scripts/sources.ts';
import { listImports, readPackageNames } from './imports.ts';
import type { Rule } from './rule.ts';

const setup = 'scripts/setup/dashboard.mjs';
const globs = /import\.meta\.glob\b[^('"]*\(\s*'([^'*]+)\//g;

export const builtFiles: Rule = {
  name: 'setup lists every file of the dashboard',
  find: repository => {
    const list = /sources: \[([^\]]*)\]/.exec(repository.files.get(setup) ?? '')?.[1] ?? '';
    const sources = [...list.matchAll(/'([^']+)'/g)].map(([, source]) => source!);
    return listBuiltFiles(repository)
      .filter(file => !sources.some(source => file === source || file.startsWith(`${source}/`)))
      .map(file => ({ path: setup, line: 1, advice: `"sources" lacks ${file}, which the dashboard holds.` }));
  },
};

/** Lists files by their imports, and folders whose files are bundled as they are. Types leave nothing in a build. */
function listBuiltFiles(repository: Repository): string[] {
  const packageNames = readPackageNames(repository);
  const sources = new Map(repository.sources.map(source => [source.path, source]));
  const reached = new Set([...sources.keys()].filter(file => file.startsWith('dashboard/src/')));
  const folders = new Set<string>();
  for (const file of reached) {
    const source = sources.get(file)!;
    for (const { to, isTypeOnly } of listImports(source, packageNames))
      if (!isTypeOnly && sources.has(to)) reached.add(to);
    for (const [, folder = ''] of source.text.matchAll(globs))
      folders.add(path.join(path.dirname(file), folder));
  }
  return [...reached, ...folders];
}
