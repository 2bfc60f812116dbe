/** Handles sign-in with a provider. The provider redirects browsers here, and the answers redirect them on. */

import * as contract from '@tapedeck/contract/providerSignIn';
import * as providers from '@tapedeck/domain/identity/providerSignIn';
import { findSession } from '@tapedeck/domain/identity/signIn';
import { isExpected } from '@tapedeck/domain/vocabulary';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type HandledRoute, handle, ok } from '../routing.ts';
import {
  clearProviderCookie,
  readProviderCookie,
  readSessionCookie,
  setProviderCookie,
} from '../sessionCookie.ts';
import { type AccountDeps, isSecure, visitorOf, welcome } from './accounts.ts';

export type ProviderRouteDeps = AccountDeps & providers.ProviderDeps;

export function handleProviderSignIn(deps: ProviderRouteDeps): HandledRoute[] {
  const callback = () => `${deps.address.publicUrl}${contract.finishProviderSignIn.path}`;
  const redirect = (reply: FastifyReply, { url, ticket, expiresAt }: providers.Redirect) => {
    setProviderCookie(reply, ticket, { expiresAt, secure: isSecure(deps) });
    return { url };
  };
  return [
    handle(contract.beginProviderSignIn, async ({ body, reply }) => {
      const { back = '/', invitation = null } = body;
      const signIn = { returnTo: callback(), back: readBack(back), invitation };
      return redirect(reply, await providers.beginProviderSignIn(deps, signIn));
    }),
    handle(contract.finishProviderSignIn, async ({ request, reply }) => {
      clearProviderCookie(reply, isSecure(deps));
      const question = request.url.indexOf('?');
      const address = new URL(callback() + (question < 0 ? '' : request.url.slice(question)));
      const to = await finish(deps, { request, reply }, address).catch(error => {
        if (!isExpected(error)) throw error;
        // The full error of the library may hold tokens.
        const reason = error.cause instanceof Error ? error.cause.message : undefined;
        request.log.info({ code: error.code, reason }, 'a sign-in by the provider failed');
        return `/sign-in?${new URLSearchParams({ trouble: error.code })}`;
      });
      return reply.redirect(deps.address.publicUrl + to, 302);
    }),
    handle(contract.beginLinking, async ({ body, caller, request, reply }) => {
      const { address } = visitorOf(deps, request);
      const signIn = { ...body, address, returnTo: callback(), back: '/account' };
      return redirect(reply, await providers.beginLinking(deps, caller, signIn));
    }),
    handle(contract.unlinkIdentity, async ({ params, caller }) => {
      await providers.unlinkIdentity(deps, caller, params.identity);
      return ok;
    }),
  ];
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Returns where the browser goes next. A ticket goes after the #, so that no log contains it. */
async function finish(deps: ProviderRouteDeps, { request, reply }: Exchange, address: URL): Promise<string> {
  const cookie = readSessionCookie(request);
  const principal = cookie === null ? null : await findSession(deps, cookie);
  const visitor = { ...visitorOf(deps, request), principal };
  const given = { ticket: readProviderCookie(request) ?? '', address };
  const { back, outcome } = await providers.finishProviderSignIn(deps, visitor, given);
  if (outcome.kind === 'second factor')
    return `/sign-in?${new URLSearchParams({ back })}#ticket=${outcome.ticket}`;
  if (outcome.kind === 'session') welcome(deps, reply, outcome.session);
  return back;
}

/** Returns a dashboard address. Anyone may have made the link, and `//host` is another site. */
function readBack(back: string): string {
  const base = 'http://dashboard';
  const url = URL.canParse(back, base) ? new URL(back, base) : null;
  if (url === null || url.origin !== base) return '/';
  return `/${url.pathname.replace(/^\/+/, '')}${url.search}${url.hash}`;
}
