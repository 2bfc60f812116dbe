/** Visits an OpenID provider and comes back, with the cookies a browser would have. */
import assert from 'node:assert/strict';
import * as contract from '@tapedeck/contract/providerSignIn';
import { makeClient } from './client.ts';
import { type OpenIdProvider, signInThere } from './openIdProviders.ts';
import { startTestService, type TestService } from './service.ts';

export const publicUrl = 'http://tape.example';
export const callback = `${publicUrl}${contract.finishProviderSignIn.path}`;

export function startBeside(
  provider: OpenIdProvider,
  further: Record<string, string> = {},
): Promise<TestService> {
  const environment = { TAPEDECK_PUBLIC_URL: publicUrl, ...provider.environment, ...further };
  return startTestService({ environment });
}

export type Begun = { url: string; errand: string };

export async function begin(
  to: TestService,
  body: { back?: string; invitation?: string } = {},
): Promise<Begun> {
  return readBegun(await makeClient(to).send(contract.beginProviderSignIn, { body }));
}

export async function readBegun(response: Response): Promise<Begun> {
  assert.equal(response.status, 200, await response.clone().text());
  const cookie = response.headers.get('set-cookie')!;
  assert.match(
    cookie,
    /^tapedeck_errand=[\w-]+; Path=\/api\/manage\/sign-in\/provider; HttpOnly; SameSite=Lax; Expires=/,
  );
  const { url } = (await response.json()) as { url: string };
  return { url, errand: cookie.split(';')[0]! };
}

/** Returns the address that the browser is redirected to, and its session. */
export async function comeBack(to: TestService, address: string, cookies: string[]) {
  const { pathname, search } = new URL(address);
  const answer = await to.fetch(pathname + search, { headers: { cookie: cookies.join('; ') } });
  assert.equal(answer.status, 302);
  const set = answer.headers.getSetCookie().join('\n');
  assert.match(set, /tapedeck_errand=; .*Max-Age=0/);
  const location = answer.headers.get('location')!;
  assert.ok(location.startsWith(`${publicUrl}/`), location);
  return { to: location.slice(publicUrl.length), session: /tapedeck_session=(\w+)/.exec(set)?.[1] ?? null };
}

/** Signs in at the provider with the account and comes back. */
export async function visit(to: TestService, account: string, body: Parameters<typeof begin>[1] = {}) {
  const { url, errand } = await begin(to, body);
  return comeBack(to, await signInThere(url, account), [errand]);
}
