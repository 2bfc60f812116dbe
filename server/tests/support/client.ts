/** Calls the contract's routes over real HTTP. Input and output have the contract's types. */
import assert from 'node:assert/strict';
import type { BodyOf, ParamsOf, QueryOf, ResponseOf, Route } from '@tapedeck/contract/route';
import Value from 'typebox/value';
import type { TestService } from './service.ts';

export type Input<R extends Route> = {
  params?: ParamsOf<R>;
  query?: QueryOf<R>;
  body?: BodyOf<R>;
  /** Replaces the body on routes that take forms. */
  form?: FormData;
  headers?: Record<string, string>;
};

export type Client = {
  /** Returns any response, errors included. */
  send<R extends Route>(route: R, input?: Input<R>): Promise<Response>;
  /** Returns the body of the 200 in the contract's shape. */
  call<R extends Route>(route: R, input?: Input<R>): Promise<ResponseOf<R>>;
  /** Returns status and code of the error: `404 not_found`. */
  refuse<R extends Route>(route: R, input?: Input<R>): Promise<string>;
};

/** Makes a client with these credentials, or none. */
export function makeClient(service: TestService, credentials: Record<string, string> = {}): Client {
  const send: Client['send'] = (route, { params, query, body, form, headers } = {}) =>
    service.fetch(composePath(route, { params, query }), {
      method: route.method,
      headers: {
        ...credentials,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form !== undefined && { body: form }),
    });
  return {
    send,
    call: async (route, input) => {
      const response = await send(route, input);
      const text = await response.text();
      assert.equal(response.status, 200, `${route.id} returns ${text}`);
      const type = response.headers.get('content-type');
      assert.ok(route.answerType || type === 'application/json', `${route.id} returns a bare ${type}`);
      const answer: unknown = JSON.parse(text);
      assert.ok(Value.Check(route.answer, answer), `${route.id} returns the contract's shape: ${text}`);
      // Checked above against the schema that the type derives from.
      return answer as ResponseOf<typeof route>;
    },
    refuse: async (route, input) => describeRefusal(await send(route, input)),
  };
}

export function withToken(service: TestService, token: string): Client {
  return makeClient(service, { authorization: token });
}

export function withCookie(service: TestService, cookie: string): Client {
  return makeClient(service, { cookie: `tapedeck_session=${cookie}` });
}

const furtherFields = new Set(['field', 'index', 'position', 'message', 'retry_after']);

/** Returns `404 not_found`. The response must hold one sentence and one code, and leak no internals. */
export async function describeRefusal(response: Response): Promise<string> {
  const text = await response.text();
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.ok(response.headers.get('x-request-id'), 'every response has X-Request-Id');
  // The assertions below check this shape.
  const body = JSON.parse(text) as { error: string; code: string; message?: string };
  const { message = body.error } = body;
  assert.equal(message, body.error, 'where there are two sentences, they are the same');
  const besides = Object.keys(body).filter(name => !furtherFields.has(name));
  assert.deepEqual(besides, ['error', 'code'], text);
  assert.match(body.error, /^\S.+\.$/s, 'an error is a sentence');
  assert.doesNotMatch(text, /node_modules|\.ts\b|\/tmp\/|\bat \w+ \(/, 'an error reveals no internals');
  return `${response.status} ${body.code}`;
}

export function composePath(
  { path }: Pick<Route, 'path'>,
  { params = {}, query = {} }: { params?: object | undefined; query?: object | undefined },
): string {
  const values = new Map(Object.entries(params).map(([name, value]) => [name, String(value)]));
  const filled = path.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) =>
    encodeURIComponent(values.get(name) ?? `no-${name}`),
  );
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}
