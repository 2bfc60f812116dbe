/**
 * Sessions that game servers report. A session's token is derived from the secret and the session's id, so nothing secret is stored, and
 * forged tokens are recognised without a database read.
 */
import { createHmac } from 'node:crypto';
import { isSameSecret, newId } from '@tapedeck/values/random-ids';
import { type Actor, requireRole, type TokenPrincipal } from '../identity/principals.ts';
import { datasetsOfSession, type Scopes } from '../identity/scopes.ts';
import type { Clock } from '../ports/clock.ts';
import type { SdkIdentity, SdkSession, SdkSessions } from '../ports/sdkSessions.ts';
import { ServiceError } from '../vocabulary.ts';
import { type ManagementDeps, recordAction } from './auditedChanges.ts';

type SdkDeps = { sdkSessions: SdkSessions; secret: string; clock: Clock };

type Lifetime = { sdkSessionMs: number };

/** Expired sessions are kept this long, so that alert rules and people notice them. */
export const quietSessionsMs = 86_400_000;

const idCharacters = 20; // the token's first part; the rest proves that this service made it
const proofCharacters = 12; // 71 bits
const rememberedMsMax = 900; // every node refuses an ended session within a second
const rememberedMax = 10_000;
const reportAttemptsMax = 5; // two if two servers report at once, three if the session also ends meanwhile

/** `token`: the SDK token for the game server. */
type ReportedSession = { session: SdkSession; token: string; isNew: boolean };

export type ReportDeps = SdkDeps &
  Lifetime & {
    access: {
      areTokensAlive(ids: readonly string[]): Promise<boolean>;
      narrowSession(tokenIds: readonly string[]): Scopes;
    };
  };

/** Opens a session or refreshes the identity's session. Rejects if that session has more rights than the reporter. */
export async function reportSession(
  deps: ReportDeps,
  reporter: TokenPrincipal,
  identity: SdkIdentity,
): Promise<ReportedSession> {
  const { sdkSessions, access, secret, clock } = deps;
  const project = reporter.project.slug;
  for (let attempt = 0; attempt < reportAttemptsMax; attempt += 1) {
    const now = clock.now();
    const times = { createdAt: now, refreshedAt: now, expiresAt: now + deps.sdkSessionMs };
    const living = await sdkSessions.findLiving(project, identity, now);
    if (living === null) {
      const session = { id: newId(), project, identity, tokenIds: [reporter.id], ...times };
      if (await sdkSessions.open(session))
        return { session, token: makeSessionToken(secret, session.id), isNew: true };
      continue;
    }
    // Its token no longer works, so the reporter needs a new session.
    if (!(await access.areTokensAlive(living.tokenIds))) {
      await sdkSessions.end(living.id, now);
      continue;
    }
    requireNoLess(deps, reporter, living);
    const life = { now, expiresAt: times.expiresAt };
    if (await sdkSessions.join(living.id, reporter.id, life)) {
      const session = { ...living, expiresAt: life.expiresAt };
      return { session, token: makeSessionToken(secret, session.id), isNew: false };
    }
  }
  throw new ServiceError('overloaded', 'Too many report this session at once; try again shortly.', {
    retryAfterSeconds: 1,
  });
}

/** Throws if the session may write to datasets that the reporter's own session could not. */
function requireNoLess(
  { access }: Pick<ReportDeps, 'access'>,
  { scopes }: TokenPrincipal,
  { tokenIds }: SdkSession,
): void {
  const own = datasetsOfSession(scopes);
  if (own === null || access.narrowSession(tokenIds).datasets?.isSubsetOf(own)) return;
  throw new ServiceError(
    'scope_missing',
    'This SDK session was opened with a token that may do more than this one; use that token, or report another server.',
  );
}

/** Extends the SDK token's own session, or the one that an API token's caller names; resolves to its new end. */
export async function extendSession(
  deps: ReportDeps,
  caller: TokenPrincipal,
  identity: SdkIdentity | null,
): Promise<number> {
  const now = deps.clock.now();
  const life = { now, expiresAt: now + deps.sdkSessionMs };
  if (identity === null) {
    if (!(await deps.sdkSessions.extend(caller.id, life))) throw sessionEndedError();
    return life.expiresAt;
  }
  const session = await deps.sdkSessions.findLiving(caller.project.slug, identity, now);
  // If any of its API tokens is no longer valid, the session counts as ended.
  if (session !== null && (await deps.access.areTokensAlive(session.tokenIds))) {
    requireNoLess(deps, caller, session);
    if (await deps.sdkSessions.extend(session.id, life)) return life.expiresAt;
  }
  throw new ServiceError('not_found', 'There is no such SDK session; report it first.');
}

/** Ends the SDK token's own session, or the named one. Succeeds if there is none. */
export async function endSession(
  deps: ReportDeps,
  caller: TokenPrincipal,
  identity: SdkIdentity | null,
): Promise<void> {
  const now = deps.clock.now();
  if (caller.tokenKind === 'sdk') await deps.sdkSessions.end(caller.id, now);
  if (caller.tokenKind === 'sdk' || identity === null) return;
  const session = await deps.sdkSessions.findLiving(caller.project.slug, identity, now);
  if (session === null) return;
  if (await deps.access.areTokensAlive(session.tokenIds)) requireNoLess(deps, caller, session);
  await deps.sdkSessions.end(session.id, now);
}

/** Lists live sessions and those of servers that stopped reporting, latest first. */
export async function listSessions(
  { sdkSessions, clock }: Pick<SdkDeps, 'sdkSessions' | 'clock'>,
  project: string,
): Promise<{ living: SdkSession[]; quiet: SdkSession[] }> {
  const now = clock.now();
  const [living, quiet] = await Promise.all([
    sdkSessions.list(project, now),
    sdkSessions.listExpired(project, { after: now - quietSessionsMs, upTo: now }),
  ]);
  return { living, quiet };
}

/** Ends any session of the project; for members. */
export async function endLiveSession(
  deps: Pick<SdkDeps, 'sdkSessions'> & Pick<ManagementDeps, 'store' | 'clock'>,
  actor: Actor,
  { id, project }: Pick<SdkSession, 'id' | 'project'>,
): Promise<void> {
  requireRole(actor, project, 'member');
  const session = await deps.sdkSessions.find(id);
  if (session === null || session.project !== project || session.expiresAt <= deps.clock.now())
    throw new ServiceError('not_found', 'There is no such session; it may have ended.');
  // The audit entry comes first, so that no session ends without one.
  await recordAction(deps, actor, { project, action: 'session.end', target: id, details: session.identity });
  await deps.sdkSessions.end(id, deps.clock.now());
}

/** Looks up the sessions behind SDK tokens, each at most once a second. */
export type SdkDirectory = {
  /** The stored sessions. This node at once refuses sessions that are ended through this object. */
  sessions: SdkSessions;
  /** Returns the session id in an SDK token; null if this service did not make the token. */
  recognise(text: string): string | null;
  /** Returns a live session or throws a `token_…` error. */
  findLiving(id: string): Promise<SdkSession>;
};

export function openSdkDirectory({ sdkSessions, secret, clock }: SdkDeps): SdkDirectory {
  const remembered = new Map<string, { looking: Promise<SdkSession | null>; at: number }>();
  const look = (id: string): Promise<SdkSession | null> => {
    const known = remembered.get(id);
    if (known !== undefined && performance.now() - known.at < rememberedMsMax) return known.looking;
    const looking = sdkSessions.find(id);
    remembered.delete(id);
    remembered.set(id, { looking, at: performance.now() });
    looking.catch(() => remembered.delete(id));
    if (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value ?? '');
    return looking;
  };
  const forgetAfter = async (work: Promise<void>) => {
    await work;
    remembered.clear();
  };
  return {
    sessions: {
      open: session => sdkSessions.open(session),
      join: (id, tokenId, life) => sdkSessions.join(id, tokenId, life),
      find: id => sdkSessions.find(id),
      findLiving: (project, identity, now) => sdkSessions.findLiving(project, identity, now),
      extend: (id, life) => sdkSessions.extend(id, life),
      end: (id, now) => forgetAfter(sdkSessions.end(id, now)),
      list: (project, now) => sdkSessions.list(project, now),
      listExpired: (project, span) => sdkSessions.listExpired(project, span),
      removeExpired: now => sdkSessions.removeExpired(now),
    },
    recognise: text => {
      const id = text.slice(0, idCharacters);
      return text.length === idCharacters + proofCharacters &&
        isSameSecret(text, makeSessionToken(secret, id))
        ? id
        : null;
    },
    findLiving: async id => {
      const session = await look(id);
      if (session === null) throw sessionEndedError();
      if (session.expiresAt > clock.now()) return session;
      // It may have been extended since it was cached.
      remembered.delete(id);
      const again = await look(id);
      if (again !== null && again.expiresAt > clock.now()) return again;
      throw new ServiceError('token_expired', 'This SDK session has expired; report again.');
    },
  };
}

/** Derives the session's token, which the server that reported it also holds. */
export function makeSessionToken(secret: string, id: string): string {
  const digest = createHmac('sha256', secret).update(`sdk session\0${id}`).digest();
  return (
    id +
    digest
      .toString('base64')
      .replaceAll(/[^0-9A-Za-z]/g, '')
      .slice(0, proofCharacters)
  );
}

function sessionEndedError(): ServiceError {
  return new ServiceError('token_revoked', 'This SDK session has ended; report again.');
}
