/** Rules about tests: all of them run, and they wait for events, not for time to pass. */
import type { Node } from 'oxc-parser';
import { isTest } from '../../../scripts/sources.ts';
import type { Finding, Rule } from './rule.ts';

const testFunctions = new Set(['test', 'it', 'describe', 'suite', 't']);
const leftOut = new Set(['skip', 'only', 'todo']);

export const everyTestRuns: Rule = {
  name: 'no test is skipped',
  find: ({ sources }) =>
    sources
      .filter(({ path }) => isTest(path) || path.includes('conformance'))
      .flatMap(({ path, nodes, lineOf }) =>
        nodes.flatMap(node =>
          findLeftOut(node).map((word): Finding => {
            const advice = `"${word}" leaves tests out: let them run, or remove them.`;
            return { path, line: lineOf(node.start), advice };
          }),
        ),
      ),
};

/** Inside a loop a pause separates two checks of a condition; elsewhere it hopes that enough time has passed. */
export const noSleeps: Rule = {
  name: 'no test sleeps',
  find: ({ sources }) =>
    sources
      .filter(({ path }) => isTest(path))
      .flatMap(({ path, nodes, lineOf }) => {
        const sleepNames = new Set(nodes.flatMap(listSleepNames));
        const loops = nodes.filter(({ type }) => /^(While|DoWhile|For)Statement$/.test(type));
        return nodes
          .filter(node => isSleep(node, sleepNames))
          .filter(({ start, end }) => !loops.some(loop => loop.start < start && end <= loop.end))
          .map((node): Finding => {
            const advice =
              'waits for time to pass: await the event itself, a clock of the test, or a condition in a loop with a deadline.';
            return { path, line: lineOf(node.start), advice };
          });
      }),
};

/** `test.skip(…)`, `t.todo()`, `test('…', { only: true }, …)`. */
function findLeftOut(node: Node): string[] {
  if (node.type !== 'CallExpression') return [];
  const { callee } = node;
  if (callee.type === 'MemberExpression') {
    const word = nameOf(callee.property);
    return testFunctions.has(nameOf(callee.object)) && leftOut.has(word) ? [word] : [];
  }
  if (!testFunctions.has(nameOf(callee))) return [];
  return node.arguments
    .filter(argument => argument.type === 'ObjectExpression')
    .flatMap(({ properties }) => properties)
    .map(property => (property.type === 'Property' ? nameOf(property.key) : ''))
    .filter(word => leftOut.has(word));
}

/** Lists the names under which a file calls functions that only wait, including the file's functions with such a name. */
function listSleepNames(node: Node): string[] {
  if (node.type !== 'ImportDeclaration' || node.source.value !== 'node:timers/promises')
    return ['sleep', 'delay', 'pause'];
  return node.specifiers
    .filter(specifier => specifier.type === 'ImportSpecifier' && nameOf(specifier.imported) === 'setTimeout')
    .map(({ local }) => local.name);
}

function isSleep(node: Node, sleepNames: ReadonlySet<string>): boolean {
  if (node.type === 'CallExpression') return sleepNames.has(nameOf(node.callee));
  return (
    node.type === 'NewExpression' && nameOf(node.callee) === 'Promise' && isTimerExecutor(node.arguments[0])
  );
}

/** `resolve => setTimeout(resolve, 100)`, with or without braces; a timer that rejects is a deadline. */
function isTimerExecutor(executor: Node | undefined): boolean {
  if (executor?.type !== 'ArrowFunctionExpression' && executor?.type !== 'FunctionExpression') return false;
  const resolve = nameOf(executor.params[0]);
  const call = unwrapBody(executor.body);
  if (call?.type !== 'CallExpression' || nameOf(call.callee) !== 'setTimeout') return false;
  const callback = call.arguments[0];
  if (callback?.type !== 'ArrowFunctionExpression') return nameOf(callback) === resolve;
  const called = unwrapBody(callback.body);
  return called?.type === 'CallExpression' && nameOf(called.callee) === resolve;
}

/** Returns the only expression of a function's body. */
function unwrapBody(body: Node | null): Node | undefined {
  if (body?.type !== 'BlockStatement') return body ?? undefined;
  const [statement] = body.body;
  return body.body.length === 1 && statement?.type === 'ExpressionStatement'
    ? statement.expression
    : undefined;
}

function nameOf(node: Node | null | undefined): string {
  return node?.type === 'Identifier' ? node.name : '';
}
