/** `tapedeck token …`: creates, lists and revokes tokens on this machine. */
import assert from 'node:assert/strict';
import { Misuse, printTable } from '@tapedeck/command-line';
import { createToken, listTokens, revokeToken } from '@tapedeck/domain/identity/tokens';
import { readInstantMs, readSpanMs } from '@tapedeck/domain/instants';
import { systemClock } from '@tapedeck/domain/ports/clock';
import type { Token } from '@tapedeck/domain/ports/metadata';
import { findProjectCalled } from '@tapedeck/domain/projects/projects';
import { defaultProject, type TokenKind, tokenKinds } from '@tapedeck/domain/vocabulary';
import { type Command, commandLine, withStore } from './command.ts';

export const tokenCreate: Command = {
  name: 'token create',
  usage: '--kind media|logs|webhook|admin [--project P] [--name N] [--scope S,…] [--expires 30d|RFC3339]',
  about: 'Create a token and print it.',
  options: {
    kind: { type: 'string', values: tokenKinds, isRequired: true, about: 'what the token is for' },
    project: { type: 'string', about: 'slug or name of the project' },
    name: { type: 'string', about: 'helps you recognise the token later' },
    scope: { type: 'string', multiple: true, about: 'limits the token, such as read or path:clips' },
    expires: { type: 'string', about: 'when it expires: 30d, or a time in RFC 3339' },
  },
  run: async (config, given) => {
    const expires = given.text('expires');
    const input = {
      kind: readKind(given.text('kind')),
      name: given.text('name') ?? '',
      scopes: given.list('scope'),
      expiresAt: expires === undefined ? null : readExpiry(expires),
    };
    const { text, token } = await withStore(config, async deps => {
      const { slug } = await findProjectCalled(deps, given.text('project') ?? defaultProject);
      return createToken(deps, commandLine, { ...input, project: slug });
    });
    return { text, json: { token: text, ...describeToken(token) } };
  },
};

export const tokenList: Command = {
  name: 'token list',
  usage: '[--project P]',
  about: 'List the active tokens.',
  options: { project: { type: 'string', about: 'slug or name of the project' } },
  run: async (config, given) => {
    const tokens = await withStore(config, async deps => {
      const word = given.text('project');
      return listTokens(deps, word === undefined ? null : (await findProjectCalled(deps, word)).slug);
    });
    const json = tokens.map(describeToken);
    const rows = json.map(token => [
      token.id,
      token.prefix,
      token.kind,
      token.project,
      token.name,
      token.scopes.join(','),
      token.createdAt,
      token.lastUsedAt ?? 'never',
      token.expiresAt ?? 'never',
    ]);
    const head = ['id', 'prefix', 'kind', 'project', 'name', 'scopes', 'created', 'last used', 'expires'];
    return { text: printTable(head, rows), json };
  },
};

export const tokenRevoke: Command = {
  name: 'token revoke',
  usage: 'ID',
  about: 'Revoke a token. Every node refuses it within a second.',
  options: {},
  positionals: { min: 1, max: 1 },
  run: async (config, { positionals: [id = ''] }) => {
    await withStore(config, deps => revokeToken(deps, commandLine, { id, project: null }));
    return { text: `Token ${id} is revoked.`, json: { id, revoked: true } };
  },
};

function describeToken(token: Token) {
  const { id, prefix, kind, project, name, scopes } = token;
  return {
    id,
    prefix,
    kind,
    project,
    name,
    scopes,
    createdAt: new Date(token.createdAt).toISOString(),
    lastUsedAt: token.lastUsedAt === null ? null : new Date(token.lastUsedAt).toISOString(),
    expiresAt: token.expiresAt === null ? null : new Date(token.expiresAt).toISOString(),
  };
}

/** The command line refuses all other kinds. */
function readKind(text: string | undefined): TokenKind {
  const kind = tokenKinds.find(known => known === text);
  assert(kind !== undefined);
  return kind;
}

function readExpiry(text: string): number {
  const spanMs = readSpanMs(text);
  if (spanMs !== null) return systemClock.now() + spanMs;
  if (/^\d{4}-/.test(text)) return readInstantMs('--expires', text);
  throw new Misuse('--expires must be a span such as 30d, or an RFC 3339 instant.');
}
