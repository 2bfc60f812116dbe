/** The rule about `package-lock.json`: it works on every machine, with any registry, and states each package's hash. */
import type { Repository } from '../../../scripts/sources.ts';
import type { Finding, Rule } from './rule.ts';

type Package = { optionalDependencies?: object; link?: boolean; inBundle?: boolean; integrity?: string };

const path = 'package-lock.json';

/** Engines for other machines that the registry lacked when the lock file was written. Add nothing to this list. */
const unknownContents = new Set([
  'node_modules/@chdb/lib-darwin-arm64',
  'node_modules/@chdb/lib-darwin-x64',
  'node_modules/@chdb/lib-linux-arm64-gnu',
]);

export const lockFile: Rule = {
  name: 'the lock file works on every platform',
  find: (repository: Repository) => {
    const text = repository.files.get(path);
    if (text === undefined) return [];
    const packages: Record<string, Package> = JSON.parse(text).packages;
    return [...findHosts(text), ...findMissing(packages), ...findUnverified(packages)];
  },
};

/** npm uses whatever host the lock file names. */
function findHosts(text: string): Finding[] {
  return text.split('\n').flatMap((line, index): Finding[] => {
    const [host] = /"resolved": "https?:[^"]*"/.exec(line) ?? [];
    if (host === undefined) return [];
    const advice = `${host} names a host: install with this repository's .npmrc, which leaves it out.`;
    return [{ path, line: index + 1, advice }];
  });
}

/** npm refuses a lock file that lacks other machines' optional packages. */
function findMissing(packages: Readonly<Record<string, Package>>): Finding[] {
  return Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter(name => !Object.keys(packages).some(key => key.endsWith(`node_modules/${name}`)))
    .map(name => {
      const advice = `lacks ${name}, without which npm ci refuses it: choose a version whose packages exist for every platform.`;
      return { path, line: 1, advice };
    });
}

/** Without `integrity` npm accepts whatever a registry sends. A bundled package is part of another, which has it. */
function findUnverified(packages: Readonly<Record<string, Package>>): Finding[] {
  return Object.entries(packages)
    .filter(([key, { link, inBundle, integrity }]) => {
      const isOfRegistry = key.includes('node_modules/') && !link && !inBundle;
      return isOfRegistry && integrity === undefined && !unknownContents.has(key);
    })
    .map(([key]) => {
      const advice = `has no integrity for ${key}: write down what \`npm view NAME@VERSION dist.integrity\` says.`;
      return { path, line: 1, advice };
    });
}
