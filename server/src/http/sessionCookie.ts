/** The dashboard's cookies: the session and the pending provider sign-in. Also refuses other sites that use them. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { FastifyReply, FastifyRequest } from 'fastify';

const cookieName = 'tapedeck_session';
/** The cookie with the reason for a sign-in with the provider, sent only to the one path that needs it. */
const providerCookieName = 'tapedeck_errand';
const providerPath = '/api/manage/sign-in/provider';

export function readSessionCookie(request: FastifyRequest): string | null {
  return readCookie(request, cookieName);
}

export function readProviderCookie(request: FastifyRequest): string | null {
  return readCookie(request, providerCookieName);
}

/** Returns the whole value, so that a secret with anything appended opens nothing. */
function readCookie({ headers }: FastifyRequest, name: string): string | null {
  const found = new RegExp(`(?:^|;\\s*)${name}=([^;]*)`).exec(headers.cookie ?? '');
  return found?.[1]?.trimEnd() || null;
}

export function setProviderCookie(
  reply: FastifyReply,
  ticket: string,
  life: { expiresAt: number; secure: boolean },
): void {
  const expires = new Date(life.expiresAt).toUTCString();
  const cookie = `${providerCookieName}=${ticket}; ${attributes(life.secure, providerPath)}; Expires=${expires}`;
  reply.header('set-cookie', cookie);
}

export function clearProviderCookie(reply: FastifyReply, secure: boolean): void {
  reply.header('set-cookie', `${providerCookieName}=; ${attributes(secure, providerPath)}; Max-Age=0`);
}

export function setSessionCookie(
  reply: FastifyReply,
  cookie: string,
  life: { expiresAt: number; secure: boolean },
): void {
  const expires = new Date(life.expiresAt).toUTCString();
  reply.header('set-cookie', `${cookieName}=${cookie}; ${attributes(life.secure)}; Expires=${expires}`);
}

export function clearSessionCookie(reply: FastifyReply, secure: boolean): void {
  reply.header('set-cookie', `${cookieName}=; ${attributes(secure)}; Max-Age=0`);
}

function attributes(secure: boolean, path = '/'): string {
  return `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/**
 * Refuses requests that say they come from another site. Browsers always say so. Programs do not, but they hold no cookie that the user did not
 * give them.
 */
export function requireSameSite(request: FastifyRequest, publicOrigin: string): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const siteIsOwn = site === undefined || site === 'same-origin' || site === 'none';
  const originIsOwn =
    origin === undefined || origin === publicOrigin || isOriginOfHost(origin, request.headers.host);
  if (siteIsOwn && originIsOwn) return;
  throw new ServiceError('cross_site', 'Requests from pages of other sites are refused here.');
}

function isOriginOfHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
