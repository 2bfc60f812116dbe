/** OpenID providers for sign-in tests: a real one, whose accounts are named by their traits, and one that returns what a test wants. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

const client = { id: 'tapedeck', secret: 'a-secret-between-the-two' };

export type OpenIdProvider = AsyncDisposable & { issuer: string; environment: Record<string, string> };

function environmentFor(issuer: string): Record<string, string> {
  return {
    TAPEDECK_OIDC_ISSUER: issuer,
    TAPEDECK_OIDC_CLIENT_ID: client.id,
    TAPEDECK_OIDC_CLIENT_SECRET: client.secret,
    TAPEDECK_OIDC_NAME: 'Harbour ID',
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** Asks for the account on its own pages: the name is the account, and `unverified…` has an unverified address. */
export async function startOpenIdProvider(redirectUris: string[]): Promise<OpenIdProvider> {
  const server = createServer();
  const issuer = await listen(server);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: redirectUris,
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['for a test alone'] },
    ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60 },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: `${id} of the harbour`,
        email: `${id}@example.org`,
        email_verified: !id.startsWith('unverified'),
      }),
    }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  return { issuer, environment: environmentFor(issuer), [Symbol.asyncDispose]: () => close(server) };
}

/** Walks through the real provider's pages as a browser does, and returns the address it redirects back to. */
export async function signInThere(url: string, account: string): Promise<string> {
  const jar = new Map<string, string>();
  const { origin } = new URL(url);
  let next: { url: string; init: RequestInit } = { url, init: {} };
  for (let step = 0; step < 12; step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(next.url, {
      ...next.init,
      redirect: 'manual',
      headers: { ...next.init.headers, cookie },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location !== null) {
      const to = new URL(location, next.url);
      if (to.origin !== origin) return to.href;
      next = { url: to.href, init: {} };
      continue;
    }
    const page = await answer.text();
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    assert.ok(action && prompt, `the provider shows a form: ${answer.status} ${page.slice(0, 300)}`);
    const form = new URLSearchParams({
      prompt,
      ...(prompt === 'login' && { login: account, password: 'any' }),
    });
    next = { url: new URL(action, next.url).href, init: { method: 'POST', body: form } };
  }
  return assert.fail('the provider redirects nobody back');
}

/** What the other provider returns: the claims of its ID token, and its response to the code. */
export type Telling = {
  claims?: Record<string, unknown>;
  signedByAnother?: boolean;
  /** Publishes and uses another key under this id in place of the first one. */
  changedKey?: string;
  /** Describes itself as another provider. */
  otherIssuer?: string;
  noToken?: boolean;
  status?: number;
  userInfo?: Record<string, unknown>;
  /** Lengthens its response to the code. */
  paddingBytes?: number;
};

type ClaimsProvider = OpenIdProvider & { tell(telling: Telling): void };

/** Starts a provider whose codes are nonces, so that it knows which nonce the token needs. */
export async function startClaimsProvider(): Promise<ClaimsProvider> {
  let telling: Telling = {};
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const publish = async ({ publicKey }: typeof own, kid: string) => ({
    keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }],
  });
  const server = createServer();
  const issuer = await listen(server);
  const compose = async (nonce: string) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: client.id, sub: 'somebody', iat: now, exp: now + 60, nonce };
    const isOther = telling.signedByAnother || telling.changedKey !== undefined;
    const token = await new SignJWT({ ...claims, ...telling.claims })
      .setProtectedHeader({ alg: 'RS256', kid: telling.changedKey ?? 'one' })
      .sign(isOther ? other.privateKey : own.privateKey);
    return {
      access_token: 'access',
      token_type: 'Bearer',
      expires_in: 60,
      ...(!telling.noToken && { id_token: token }),
      padding: 'x'.repeat(telling.paddingBytes ?? 0),
    };
  };
  const documents: Record<string, (body: URLSearchParams) => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer: telling.otherIssuer ?? issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/.well-known/keys`,
      ...(telling.userInfo && { userinfo_endpoint: `${issuer}/me` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    }),
    '/.well-known/keys': () => publish(telling.changedKey ? other : own, telling.changedKey ?? 'one'),
    '/token': body => compose(body.get('code') ?? ''),
    '/me': () => telling.userInfo,
  };
  server.on('request', async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const path = request.url?.split('?')[0] ?? '';
    const status = path === '/token' ? (telling.status ?? 200) : 200;
    const document = await documents[path]?.(new URLSearchParams(text));
    response.writeHead(document === undefined ? 404 : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? (document ?? {}) : { error: 'invalid_grant' }));
  });
  return {
    issuer,
    environment: environmentFor(issuer),
    tell: told => {
      telling = told;
    },
    [Symbol.asyncDispose]: () => close(server),
  };
}
