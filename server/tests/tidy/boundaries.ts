/** Rules about what stays in one room: the environment in config.ts, `any` nowhere. */
import type { Node } from 'oxc-parser';
import { type Finding, isTestSupport, type Rule } from './repository.ts';

const environmentReader = 'server/src/config.ts';

export const environment: Rule = {
  name: 'the environment is read in config.ts alone',
  find: repository =>
    repository.sources
      .filter(({ path }) => path !== environmentReader && !isTestSupport(path, repository))
      .flatMap(({ path, nodes, lineOf }) =>
        nodes.filter(readsEnvironment).map((node): Finding => {
          const advice = `reads the environment: make it a setting in ${environmentReader} and take it as an argument.`;
          return { path, line: lineOf(node.start), advice };
        }),
      ),
};

export const anyTypes: Rule = {
  name: 'nothing is `any`',
  find: ({ sources }) =>
    sources.flatMap(({ path, nodes, lineOf }) =>
      nodes
        .filter(({ type }) => type === 'TSAnyKeyword')
        .map(({ start }): Finding => {
          const advice = '`any` switches the type checker off: name the type, or take `unknown` and look.';
          return { path, line: lineOf(start), advice };
        }),
    ),
};

function readsEnvironment(node: Node): boolean {
  if (node.type === 'MemberExpression') {
    const isProcess = node.object.type === 'Identifier' && node.object.name === 'process';
    return isProcess && nameOf(node.property) === 'env';
  }
  return node.type === 'ImportDeclaration' && /^(node:)?process$/.test(node.source.value)
    ? node.specifiers.some(
        specifier => specifier.type === 'ImportSpecifier' && nameOf(specifier.imported) === 'env',
      )
    : false;
}

function nameOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
