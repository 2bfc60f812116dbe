/** Rule about literals: no literal is spread into another only to keep it on one line. */
import type { Node } from 'oxc-parser';
import type { Finding, Rule } from './rule.ts';

export const spreadLiterals: Rule = {
  name: 'no literal is spread into a literal',
  find: ({ sources }) =>
    sources.flatMap(({ path, nodes, lineOf }) =>
      nodes.filter(spreadsLiteral).map((node): Finding => {
        const advice = 'spreads a literal: write its members, one a line where they do not fit.';
        return { path, line: lineOf(node.start), advice };
      }),
    ),
};

function spreadsLiteral(node: Node): boolean {
  if (node.type !== 'SpreadElement' && node.type !== 'JSXSpreadAttribute') return false;
  return node.argument.type === 'ObjectExpression' || node.argument.type === 'ArrayExpression';
}
