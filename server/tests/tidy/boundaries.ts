/** Rules about boundaries: the environment in config.ts, requests in http/, `any` and pattern keys nowhere. */
import type { Node } from 'oxc-parser';
import { isTestSupport, readComments } from '../../../scripts/sources.ts';
import type { Finding, Rule } from './rule.ts';

const environmentReader = 'server/src/config.ts';

export const environment: Rule = {
  name: 'only config.ts reads the environment',
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

/** `Type.Record` makes a pattern for keys too: its dot stops at line ends, so responses lose the keys it does not match. */
export const keysByPattern: Rule = {
  name: 'no shape defines its keys by a pattern',
  find: ({ sources }) =>
    sources
      .filter(({ path }) => /^(?:server|packages\/(?:contract|domain|metadata-store))\/src\//.test(path))
      .flatMap(({ path, nodes, lineOf }) =>
        nodes.filter(namesKeysByPattern).map(({ start }): Finding => {
          const advice = 'loses keys with line ends: take `recordOf` of packages/contract.';
          return { path, line: lineOf(start), advice };
        }),
      ),
};

function namesKeysByPattern(node: Node): boolean {
  if (node.type === 'Property') return nameOf(node.key) === 'patternProperties';
  if (node.type !== 'MemberExpression') return false;
  return nameOf(node.object) === 'Type' && nameOf(node.property) === 'Record';
}

/** Leaves out Idempotency-Key, since senders have no other word for it. */
const requestWords: readonly { pattern: RegExp; where?: 'comments' }[] = [
  {
    pattern:
      /\b(?:content-?(?:type|length|encoding|disposition|range)|last-event-id|retry-after|transfer-encoding|set-cookie|user-agent)\b/i,
  },
  { pattern: /\bheaders?(?:\b|[A-Z]\w*)/i },
  { pattern: /\bquery[ -]?(?:parameter|string|key)s?\b/i },
  { pattern: /\bstatus[ -]?codes?\b|\bHTTP status\b/i },
  { pattern: /\bcookies?\b/i },
  { pattern: /\bmultipart\b/i },
  { pattern: /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) \// },
  { pattern: /\bFastify\w+|\bIncomingMessage\b|\bServerResponse\b|\bIncomingHttpHeaders\b/ },
  { pattern: /\b(?:4(?:0[013459]|1[23567]|2[29]|31)|50[037])\b/, where: 'comments' },
];

export const requestsInHttp: Rule = {
  name: 'only http/ knows requests',
  find: repository =>
    repository.sources
      .filter(({ path }) => path.startsWith('packages/domain/') && !isTestSupport(path, repository))
      .flatMap(source => {
        const prose = readComments(source).split('\n');
        return source.text.split('\n').flatMap((line, index): Finding[] =>
          requestWords.flatMap(({ pattern, where }) => {
            const word = pattern.exec(where === 'comments' ? (prose[index] ?? '') : line)?.[0];
            const advice = `"${word}" is a word of HTTP: say what it means here, or move this to server/src/http.`;
            return word === undefined ? [] : [{ path: source.path, line: index + 1, advice }];
          }),
        );
      }),
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
