/** Rules about size: a file fits a few screens, a function one screen, and a call a glance. */
import type { Node } from 'oxc-parser';
import { isTest, type Source } from '../../../scripts/sources.ts';
import type { Finding, Rule } from './rule.ts';

const fileLinesMax = 300; // STYLE.md, 13
const functionLinesMax = 60; // STYLE.md, 13
const parametersMax = 3; // STYLE.md, 13

export const fileSizes: Rule = {
  name: `files have at most ${fileLinesMax} lines`,
  find: ({ files }) =>
    [...files]
      .filter(([path, text]) => /\.(ts|tsx|mjs|css|sh)$/.test(path) && !isGenerated(text))
      .flatMap(([path, text]): Finding[] => {
        const lines = text.trimEnd().split('\n').length;
        if (lines <= fileLinesMax) return [];
        const advice = `holds ${lines} lines of at most ${fileLinesMax}: move one of the things it does into a separate file.`;
        return [{ path, line: lines, advice }];
      }),
};

export const functionSizes: Rule = {
  name: `functions have at most ${functionLinesMax} lines`,
  find: ({ sources }) =>
    sources.flatMap(source => {
      const containers = listContainers(source);
      return listFunctions(source).flatMap((node): Finding[] => {
        const line = source.lineOf(node.start);
        const lines = source.lineOf(node.end) - line + 1;
        if (lines <= functionLinesMax || containers.has(node)) return [];
        const advice = `a function of ${lines} lines, at most ${functionLinesMax}: let it decide, and move what it computes into functions with names.`;
        return [{ path: source.path, line, advice }];
      });
    }),
};

/** A callback's parameters are chosen by the function that calls it. */
export const parameterCounts: Rule = {
  name: `functions have at most ${parametersMax} parameters`,
  find: ({ sources }) =>
    sources.flatMap(source => {
      const callbacks = listCallbacks(source);
      return listFunctions(source).flatMap((node): Finding[] => {
        const count = node.params.filter(isRealParameter).length;
        if (count <= parametersMax || callbacks.has(node)) return [];
        const advice = `${count} parameters of at most ${parametersMax}: pass those that belong together as one object.`;
        return [{ path: source.path, line: source.lineOf(node.start), advice }];
      });
    }),
};

type FunctionNode = Extract<Node, { params: unknown[]; body: unknown }>;

function listFunctions({ nodes }: Source): FunctionNode[] {
  return nodes.filter(
    (node): node is FunctionNode =>
      node.type === 'FunctionDeclaration' ||
      node.type === 'FunctionExpression' ||
      node.type === 'ArrowFunctionExpression',
  );
}

/** `describe` takes a function only to group tests; the file limit covers it. */
function listContainers({ path, nodes }: Source): Set<Node> {
  const containers = new Set<Node>();
  if (!isTest(path) && !path.includes('conformance')) return containers;
  for (const node of nodes) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') continue;
    if (node.callee.name === 'describe' || node.callee.name === 'suite') {
      for (const argument of node.arguments) containers.add(argument);
    }
  }
  return containers;
}

function listCallbacks({ nodes }: Source): Set<Node> {
  return new Set(nodes.flatMap(node => (node.type === 'CallExpression' ? node.arguments : [])));
}

/** `this` only informs the type checker. */
function isRealParameter(parameter: Node): boolean {
  return !(parameter.type === 'Identifier' && parameter.name === 'this');
}

/** Generated files say so in their first sentence. */
function isGenerated(text: string): boolean {
  return /^\/\*\*\s*Generated\b/.test(text);
}
