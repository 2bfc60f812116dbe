/** Signs in with an OpenID provider: authorization code with PKCE, and an ID token whose signature is verified. */

import { readVouchedEmail } from '@tapedeck/domain/identity/emailAddresses';
import type { IdentityProvider, ProvidedIdentity } from '@tapedeck/domain/ports/identityProvider';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type * as OpenId from 'openid-client';

type ProviderChoice = {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  name: string;
  scopes: string;
};

const timeoutSeconds = 10; // a user waits
const discoveryMs = 3_600_000; // providers change their metadata over years
const answerBytesMax = 1024 * 1024; // the largest documents of providers take some ten thousand
const subjectCharactersMax = 255; // OpenID Connect Core 1.0, section 2

type Client = { openId: typeof OpenId; configuration: OpenId.Configuration };

/**
 * Sets up the library for each step of a sign-in, because it keeps the provider's keys for minutes, and the provider may have changed them
 * since. Keys are fetched only after the provider took a code, so visitors without an account there cause no such requests.
 */
export function openIdProvider(choice: ProviderChoice): IdentityProvider {
  const discovery = rememberDiscovery();
  const open = () =>
    discover(choice, discovery.fetch).catch(error => {
      discovery.forget();
      throw error;
    });
  return {
    name: choice.name,
    ask: (question, returnTo) =>
      translate(async () => {
        const { openId, configuration } = await open();
        const address = openId.buildAuthorizationUrl(configuration, {
          response_type: 'code',
          scope: choice.scopes,
          redirect_uri: returnTo,
          state: question.state,
          nonce: question.nonce,
          code_challenge_method: 'S256',
          code_challenge: await openId.calculatePKCECodeChallenge(question.verifier),
        });
        return address.href;
      }),
    hear: (question, address) =>
      translate(async () => {
        const { openId, configuration } = await open();
        const answer = await openId.authorizationCodeGrant(configuration, address, {
          expectedState: question.state,
          expectedNonce: question.nonce,
          pkceCodeVerifier: question.verifier,
          idTokenExpected: true,
        });
        const claims = answer.claims();
        if (claims === undefined) throw refusedError('The provider sent no ID token.');
        const further = await fetchUserInfo({ openId, configuration }, claims, answer.access_token);
        return describeIdentity({ ...claims, ...further });
      }),
  };
}

/** Loads the library on first use, because most installations have no provider. */
async function discover(
  { issuer, clientId, clientSecret }: ProviderChoice,
  fetch: OpenId.CustomFetch,
): Promise<Client> {
  const openId = await import('openid-client');
  const url = new URL(issuer);
  const options = {
    timeout: timeoutSeconds,
    [openId.customFetch]: fetch,
    execute: [
      openId.enableNonRepudiationChecks, // even if TLS would vouch for the token
      ...(url.protocol === 'http:' ? [openId.allowInsecureRequests] : []), // the operator configured it
    ],
  };
  const authentication = chooseAuthentication(openId, clientSecret);
  const configuration = await openId.discovery(url, clientId, undefined, authentication, options);
  return { openId, configuration };
}

type Discovery = {
  fetch: OpenId.CustomFetch;
  /** Makes the next call read the metadata again. */
  forget(): void;
};

/** Answers requests for the provider's metadata from memory. */
function rememberDiscovery(): Discovery {
  let known: { text: string; headers: Headers; at: number } | null = null;
  const read = async (url: string, options: OpenId.CustomFetchOptions): Promise<Response> => {
    if (!url.endsWith('/.well-known/openid-configuration')) return fetchBounded(url, options);
    if (known === null || performance.now() - known.at >= discoveryMs) {
      const response = await fetchBounded(url, options);
      if (!response.ok) return response;
      known = { text: await response.text(), headers: response.headers, at: performance.now() };
    }
    return new Response(known.text, known);
  };
  return {
    fetch: read,
    forget: () => {
      known = null;
    },
  };
}

/** Fails once an answer is too long, so that no provider can fill the memory. Counts decompressed bytes. */
async function fetchBounded(url: string, options: OpenId.CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit); // the library passes on what `fetch` takes
  if (response.body === null) return response;
  let bytes = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > answerBytesMax) throw new TypeError('The response of the provider is too long.');
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bound), response);
}

/** Uses the header if the provider accepts it, as most do. */
function chooseAuthentication(openId: typeof OpenId, clientSecret: string | null): OpenId.ClientAuth {
  if (clientSecret === null) return openId.None();
  const [basic, post] = [openId.ClientSecretBasic(clientSecret), openId.ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (supported.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** Some providers give the email address only at the userinfo endpoint. */
async function fetchUserInfo(
  { openId, configuration }: Client,
  claims: OpenId.IDToken,
  accessToken: string,
): Promise<Partial<OpenId.UserInfoResponse>> {
  const isSaid = claims.email !== undefined && claims.email_verified !== undefined;
  if (isSaid || configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return openId.fetchUserInfo(configuration, accessToken, claims.sub);
}

type Claims = { iss: string; sub: string } & Readonly<Record<string, unknown>>;

function describeIdentity(claims: Claims): ProvidedIdentity {
  const { iss: issuer, sub: subject, email, email_verified: isVerified } = claims;
  if (!isSubject(subject)) throw refusedError('The provider sent no usable id of its user.');
  const names = [claims.name, claims.nickname, claims.preferred_username, email, subject];
  const name = names.find(each => typeof each === 'string' && each.trim() !== '');
  const isTheirs = isVerified === true || isVerified === 'true';
  return {
    issuer,
    subject,
    name: String(name),
    email: typeof email === 'string' && isTheirs ? readVouchedEmail(email) : null,
  };
}

/** A provider that sends everybody the same empty subject would let them all into one account. */
function isSubject(text: string): boolean {
  return (
    text.trim() !== '' && text.length <= subjectCharactersMax && text.isWellFormed() && !/\p{Cc}/u.test(text)
  );
}

/** Translates the library's error codes. Users only need to know whether the provider responded. */
async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    if (isUnavailable(cause)) {
      const sentence = 'The sign-in provider is not responding correctly. Try again, or sign in another way.';
      throw new ServiceError('provider_unavailable', sentence, { cause });
    }
    throw refusedError('The sign-in provider refused, or its response cannot be trusted; try again.', cause);
  }
}

/** True if no response came, or none that the protocol allows. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TypeError' || error.name === 'TimeoutError' || error.name === 'AbortError') return true;
  const { code, status } = error as { code?: unknown; status?: unknown }; // fields of the library's errors
  if (typeof status === 'number' && status >= 500) return true;
  return /^OAUTH_(?:TIMEOUT|ABORT|RESPONSE_IS_NOT_|PARSE_ERROR|HTTP_REQUEST_FORBIDDEN)/.test(String(code));
}

function refusedError(sentence: string, cause?: unknown): ServiceError {
  return new ServiceError('provider_refused', sentence, { cause });
}
