/**
 * Authenticates a request and checks the route's access: at the start, and again during long requests, which end once the credential is no
 * longer valid.
 */

import type { Access } from '@tapedeck/contract/route';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import {
  nameShareKey,
  requireRole,
  type TokenPrincipal,
  type UserPrincipal,
  type UserReader,
} from '@tapedeck/domain/identity/principals';
import { noScopes } from '@tapedeck/domain/identity/scopes';
import { findSession } from '@tapedeck/domain/identity/signIn';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { MetadataStore, Project } from '@tapedeck/domain/ports/metadata';
import { findLivingProject } from '@tapedeck/domain/projects/projects';
import {
  errorStatuses,
  isExpected,
  type Role,
  ServiceError,
  type TokenAction,
} from '@tapedeck/domain/vocabulary';
import { findClientSubnet } from '@tapedeck/web/client-addresses';
import type { FastifyRequest } from 'fastify';
import { readSessionCookie } from './sessionCookie.ts';

/** A revoked token must not read or write for longer than a second (CONTRACT.md, 2). */
export const accessIntervalMs = 700;

export type CallerDeps = { access: AccessDirectory; store: MetadataStore; clock: Clock };

export type Caller = TokenPrincipal | UserPrincipal | UserReader | null;
export type CallerOf<A extends Access> = A extends { by: 'anyone' }
  ? null
  : A extends { by: 'token' }
    ? TokenPrincipal
    : A extends { by: 'person' }
      ? UserReader
      : A extends { by: 'owner' | 'user' }
        ? UserPrincipal
        : TokenPrincipal | UserPrincipal;

/** Resolves to the caller, or rejects if the route's access does not allow that caller. */
export async function admitCaller(
  deps: CallerDeps,
  access: Access,
  request: FastifyRequest,
): Promise<Caller> {
  if (access.by === 'anyone') return null;
  if (access.by === 'token') {
    const text = findTokenText(access, request) ?? request.bodyToken;
    if (text === null)
      throw new ServiceError('token_missing', 'Send an API token in the Authorization header.');
    const token = await deps.access.authenticate(text);
    request.project = token.project.slug;
    requireToken(token, access);
    return token;
  }
  const caller = await findManager(deps, request);
  if (access.by === 'anyManager') return caller;
  if (access.by === 'manager') {
    await requireProject(deps, request, { caller, role: access.role });
    return caller;
  }
  if (caller.kind === 'token') {
    throw new ServiceError('role_missing', 'An admin token manages one project; sign in as a user for this.');
  }
  if (access.by === 'person') {
    const project = await requireProject(deps, request, { caller, role: access.role });
    return { ...caller, project, scopes: noScopes };
  }
  if (access.by === 'owner' && !caller.user.isOwner) {
    throw new ServiceError('role_missing', 'Only installation owners can do this.');
  }
  return caller;
}

type TokenAccess = Pick<Extract<Access, { by: 'token' }>, 'kinds' | 'action'>;

/** Rejects if the token is invalid or not allowed here. */
export async function admitToken(
  directory: AccessDirectory,
  access: TokenAccess,
  text: string,
): Promise<TokenPrincipal> {
  const token = await directory.authenticate(text);
  requireToken(token, access);
  return token;
}

/** Does the same from memory. Returns null if the database must be asked. */
export function recallToken(
  directory: AccessDirectory,
  access: TokenAccess,
  text: string,
): TokenPrincipal | null {
  const token = directory.recall(text);
  if (token !== null) requireToken(token, access);
  return token;
}

/** Throws unless the token has one of the kinds and its scopes hold the action, if any. */
function requireToken(token: TokenPrincipal, { kinds, action }: TokenAccess): void {
  if (!kinds.includes(token.tokenKind)) {
    throw new ServiceError(
      'wrong_token_kind',
      `This is a token of the kind ${token.tokenKind}; use one of the kind ${kinds.join(' or ')}.`,
    );
  }
  if (action !== null && token.scopes.actions !== null && !token.scopes.actions.has(action)) {
    throw new ServiceError('scope_missing', `The token lacks the scope ${action}.`);
  }
}

async function requireProject(
  { store }: CallerDeps,
  request: FastifyRequest,
  { caller, role }: { caller: TokenPrincipal | UserPrincipal; role: Role },
): Promise<Project> {
  const slug = readProject(request);
  requireRole(caller, slug, role);
  // Owners have their role in every project, even in one that does not exist.
  const project = await findLivingProject(store.read, slug);
  request.project = project.slug;
  return project;
}

/** The owner of the request's share of a limit: the project, else the user, else the client address. */
export function shareKeyOf({ caller, visitor }: Pick<FastifyRequest, 'caller' | 'visitor'>): string {
  return caller === null ? findClientSubnet(visitor) : nameShareKey(caller);
}

/** Returns the token of the `Authorization` header, with or without the word Bearer; null: there is none. */
export function readAuthorization({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const header = headers.authorization?.trim();
  if (!header) return null;
  return /^bearer\s/i.test(header) ? header.slice('bearer '.length).trim() : header;
}

async function findManager(
  deps: CallerDeps,
  request: FastifyRequest,
): Promise<TokenPrincipal | UserPrincipal> {
  const text = readAuthorization(request);
  if (text !== null) {
    const token = await deps.access.authenticate(text);
    request.project = token.project.slug;
    requireToken(token, { kinds: ['admin'], action: actionOf(request.method) });
    return token;
  }
  const cookie = readSessionCookie(request);
  const user = cookie === null ? null : await findSession(deps, cookie);
  if (user !== null) return user;
  throw new ServiceError('session_missing', 'Sign in, or send an admin token in the Authorization header.');
}

/** Returns the action that a token's scopes must hold for a method of the management API. */
function actionOf(method: string): TokenAction {
  if (method === 'GET' || method === 'HEAD') return 'read';
  return method === 'DELETE' ? 'delete' : 'write';
}

/** Finds the token in the URL or the headers; null: there is none. */
export function findTokenText(
  { spelling, inPath, apiKey: apiKeyAllowed }: Extract<Access, { by: 'token' }>,
  request: FastifyRequest,
): string | null {
  const found = spelling === 'any' ? readAlias(request) : null;
  if (found !== null) return found;
  if (inPath) return readPathToken(request);
  const header = readAuthorization(request);
  if (header !== null) return header;
  const question = request.url.indexOf('?');
  const apiKey =
    apiKeyAllowed && question >= 0 ? new URLSearchParams(request.url.slice(question)).get('apiKey') : null;
  return apiKey || null;
}

function readPathToken(request: FastifyRequest): string {
  // The router fills params by the names in the path.
  return String((request.params as { token?: unknown }).token);
}

function readProject(request: FastifyRequest): string {
  // The router fills params by the names in the path.
  return String((request.params as { project?: unknown }).project);
}

/** Rechecks the request's credential at each interval, and calls back once it is refused. */
export function watchAccess(
  deps: CallerDeps,
  request: FastifyRequest,
  onRefused: (error: unknown) => void,
): NodeJS.Timeout {
  const { route } = request.routeOptions.config;
  const look = async () => {
    if (route) await admitCaller(deps, route.access, request);
  };
  return setInterval(() => look().catch(onRefused), accessIntervalMs).unref();
}

/** Refuses a request whose sender loses access while the rest of the body arrives. */
export function watchBodyAccess(request: FastifyRequest, refuse: (failure: ServiceError) => void): void {
  const { raw } = request;
  const look = () =>
    request.readmit?.().catch(error => {
      if (raw.complete || !isOfCredential(error)) return;
      clearInterval(timer);
      refuse(error);
    });
  const timer = setInterval(look, accessIntervalMs).unref();
  raw.once('close', () => clearInterval(timer));
}

/** Throws if the sender lost access while the body arrived. Asks only after slow bodies. */
export async function confirmAccess({ readmit }: FastifyRequest, startedAt: number): Promise<void> {
  if (readmit === null || performance.now() - startedAt < accessIntervalMs) return;
  await readmit().catch(error => {
    if (isOfCredential(error)) throw error;
  });
}

/** Excludes failures to check the credential: it was good when the request began. */
function isOfCredential(error: unknown): error is ServiceError {
  return isExpected(error) && errorStatuses[error.code] < 500;
}

const keyHeaders = ['dd-api-key', 'x-api-key'];
const keyParameters = ['dd-api-key', 'token', 'sentry_key'];

/** Finds the token where clients of other programs put it; null: in none of these places. */
function readAlias({ headers, url }: Pick<FastifyRequest, 'headers' | 'url'>): string | null {
  const [, word = '', rest = ''] =
    /^\s*(basic|splunk|apikey|token)\s+(\S+)\s*$/i.exec(headers.authorization ?? '') ?? [];
  if (/^basic$/i.test(word)) return readPassword(rest);
  if (/^apikey$/i.test(word)) return readPair(rest)?.[1] ?? rest;
  if (rest !== '') return rest;
  for (const name of keyHeaders) if (headers[name]) return String(headers[name]);
  const sentryAuth = `${headers['x-sentry-auth'] ?? ''} ${headers.authorization ?? ''}`; // older SDKs use `Authorization`
  const [, sentryKey] = /\bsentry_key=([^\s,]+)/.exec(sentryAuth) ?? [];
  if (sentryKey !== undefined) return sentryKey;
  const question = url.indexOf('?');
  if (question === -1) return null;
  const parameters = new URLSearchParams(url.slice(question));
  return keyParameters.map(name => parameters.get(name)).find(Boolean) ?? null;
}

/** Some clients send only a name, which is then the token. */
function readPassword(encoded: string): string {
  const [name, password] = readPair(encoded) ?? ['', ''];
  return password || name;
}

/** Returns null unless the text is base64 with a colon inside. */
function readPair(encoded: string): [name: string, value: string] | null {
  const bytes = Buffer.from(encoded, 'base64');
  // Some clients leave the padding out. Anything else that no encoder writes is refused.
  const spelled = bytes.toString('base64');
  if (encoded !== spelled && encoded !== spelled.replace(/=+$/, '')) return null;
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  return colon === -1 || /[^\x20-\x7e]/.test(text) ? null : [text.slice(0, colon), text.slice(colon + 1)];
}
