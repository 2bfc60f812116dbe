/** Rules about who may import whom: `dashboard → client → contract`, `http → contract, domain`, `stores → domain`. */
import { isTestSupport, type Repository } from '../../../scripts/sources.ts';
import { type Import, listImports, readPackageNames } from './imports.ts';
import { findLayer } from './layers.ts';
import type { Finding, Rule } from './rule.ts';

export const directions: Rule = {
  name: 'imports point one way',
  find: repository => {
    const packageNames = readPackageNames(repository);
    return repository.sources
      .filter(source => !isTestSupport(source.path, repository))
      .flatMap(source =>
        listImports(source, packageNames).flatMap((imported): Finding[] => {
          const advice = repository.files.has(imported.to)
            ? checkImport(source.path, imported, repository)
            : checkPackage(source.path, imported);
          return advice === undefined ? [] : [{ path: source.path, line: imported.line, advice }];
        }),
      );
  },
};

function checkImport(from: string, { to, isTypeOnly }: Import, repository: Repository): string | undefined {
  const layer = findLayer(from);
  if (layer === undefined) return undefined;
  if (isTestSupport(to, repository))
    return `imports ${to}, which is for tests: move what both need into server/src.`;
  const target = findLayer(to);
  const storeOf = (path: string) => /^server\/src\/stores\/([^/]+)\//.exec(path)?.[1];
  const isStore = layer.name === 'stores' && target === layer && storeOf(to) !== undefined;
  const isOtherStore = isStore && storeOf(to) !== storeOf(from);
  if (isOtherStore)
    return `one store must not know another (${to}): let server/src/app.ts bring them together.`;
  if (target === undefined || target === layer || layer.imports.includes(target.name)) return undefined;
  if (isTypeOnly && layer.types?.includes(target.name)) return undefined;
  const allowed = layer.imports.length === 0 ? 'nothing' : `only ${layer.imports.join(', ')}`;
  return `${layer.name} imports ${allowed}, and ${to} is ${target.name}: pass what is needed as an argument, or move it.`;
}

/** A package's types leave no trace in the program, so a layer may use them without importing it. */
function checkPackage(from: string, { to, isTypeOnly }: Import): string | undefined {
  const layer = findLayer(from);
  if (layer?.packages === undefined || isTypeOnly || layer.packages.test(to) || /^\.|^@tapedeck\//.test(to))
    return undefined;
  return `${layer.name} must not know ${to}: put a port into packages/domain/src/ports, and let the layer that may know it fill it.`;
}
