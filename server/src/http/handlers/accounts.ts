/** Handles the account routes. */

import * as contract from '@tapedeck/contract/accounts';
import type { UrlDeps } from '@tapedeck/domain/files/naming';
import { arePasskeysPossible } from '@tapedeck/domain/identity/passkeys';
import { roleIn, type TokenPrincipal, type UserPrincipal } from '@tapedeck/domain/identity/principals';
import { isSetUp, setUpOwner } from '@tapedeck/domain/identity/setUp';
import * as signIns from '@tapedeck/domain/identity/signIn';
import type { IdentityProvider } from '@tapedeck/domain/ports/identityProvider';
import type { Project } from '@tapedeck/domain/ports/metadata';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { listProjects } from '@tapedeck/domain/projects/projects';
import type { FindClientAddress } from '@tapedeck/web/client-addresses';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../sessionCookie.ts';
import { writeAccount, writeInstant, writeProjectRole } from './jsonRecords.ts';

export type AccountDeps = ManagementDeps & {
  secret: string;
  version: string;
  fileSizeBytesMax: number;
  address: UrlDeps['address'];
  findClientAddress: FindClientAddress;
  provider: IdentityProvider | null;
};

export function handleAccounts(deps: AccountDeps): HandledRoute[] {
  return [
    handle(contract.getState, async ({ request }) => {
      const cookie = readSessionCookie(request);
      const isSignedIn = cookie !== null && (await signIns.findSession(deps, cookie)) !== null;
      const { version, fileSizeBytesMax } = deps;
      const passkeys = arePasskeysPossible(deps);
      const provider = deps.provider && { name: deps.provider.name };
      return { isSetUp: await isSetUp(deps), isSignedIn, version, passkeys, provider, fileSizeBytesMax };
    }),
    handle(contract.setUp, async ({ body, request, reply }) =>
      welcome(
        deps,
        reply,
        await setUpOwner(deps, visitorOf(deps, request), { ...body, name: body.name ?? '' }),
      ),
    ),
    handle(contract.signIn, async ({ body, request, reply }) =>
      admit(deps, reply, await signIns.signIn(deps, visitorOf(deps, request), body)),
    ),
    handle(contract.finishSignIn, async ({ body, request, reply }) =>
      welcome(deps, reply, await signIns.finishSignIn(deps, visitorOf(deps, request), body)),
    ),
    handle(contract.signOut, async ({ request, reply }) => {
      const cookie = readSessionCookie(request);
      if (cookie !== null) await signIns.signOut(deps, cookie);
      clearSessionCookie(reply, isSecure(deps));
      return ok;
    }),
    handle(contract.getMe, async ({ caller }) => describeCaller(caller, await listProjects(deps, caller))),
    handle(contract.changePassword, async ({ body, caller, request }) => {
      await signIns.changePassword(deps, caller, { ...body, address: deps.findClientAddress(request.raw) });
      return ok;
    }),
    handle(contract.listMySessions, async ({ caller }) => ({
      sessions: (await signIns.listSessions(deps, caller)).map(session => ({
        id: signIns.nameSession(session.hash),
        createdAt: writeInstant(session.createdAt),
        expiresAt: writeInstant(session.expiresAt),
        address: session.address,
        userAgent: session.userAgent,
        way: session.way,
        current: session.hash === caller.sessionHash,
      })),
    })),
    handle(contract.endMySession, async ({ params, caller }) => {
      await signIns.endSession(deps, caller, params.session);
      return ok;
    }),
  ];
}

function describeCaller(caller: UserPrincipal | TokenPrincipal, projects: readonly Project[]) {
  return {
    user: caller.kind === 'user' ? writeAccount(caller.user) : null,
    projects: projects.flatMap(project => {
      const role = roleIn(caller, project.slug);
      return role ? [writeProjectRole(project, role)] : [];
    }),
  };
}

export function isSecure({ address }: AccountDeps): boolean {
  return address.publicUrl.startsWith('https:');
}

function admit(deps: AccountDeps, reply: FastifyReply, signedIn: signIns.SignedIn) {
  if (signedIn.kind === 'session') return welcome(deps, reply, signedIn.session);
  const { ticket, expiresAt } = signedIn;
  return { status: 'second_factor_required' as const, ticket, expiresAt: writeInstant(expiresAt) };
}

/** Sets the cookie of a new session, and returns the answer of the route that opened it. */
export function welcome(deps: AccountDeps, reply: FastifyReply, session: signIns.NewSession) {
  const { user, secret, expiresAt } = session;
  setSessionCookie(reply, secret, { expiresAt, secure: isSecure(deps) });
  return { user: writeAccount(user), expiresAt: writeInstant(expiresAt) };
}

export function visitorOf(
  { findClientAddress }: AccountDeps,
  { raw, headers }: FastifyRequest,
): signIns.Visitor {
  return { address: findClientAddress(raw), userAgent: headers['user-agent'] ?? '' };
}
