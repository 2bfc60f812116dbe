/** Defines a route as data. Validation, types, OpenAPI and the client derive from it. */
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import {
  type CredentialKind,
  credentialKinds,
  type ErrorCode,
  type Role,
  type TokenAction,
} from './vocabulary.ts';

export type Access =
  | { by: 'anyone' }
  /** A token of one of these kinds whose scopes allow `action`, if given. With `apiKey`, the query may hold the token. */
  | {
      by: 'token';
      kinds: readonly CredentialKind[];
      action: TokenAction | null;
      apiKey: boolean;
      /** The path parameter `token` holds the token, and no other place counts. */
      inPath?: true;
      /** Accepts other programs' headers, and the password of `Basic`, as the token. */
      spelling?: 'any';
    }
  /** A signed-in user with this role in the path's project, or an admin token of that project. */
  | { by: 'manager'; role: Role }
  /** A signed-in user with this role in the path's project. Tokens have separate routes. */
  | { by: 'person'; role: Role }
  /** A signed-in user who owns the installation. */
  | { by: 'owner' }
  /** Any signed-in user. */
  | { by: 'user' }
  /** Any signed-in user or admin token. */
  | { by: 'anyManager' };

export type Route = {
  /** Verb and noun: the operation's name in OpenAPI and the client. */
  id: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path from the server's root, with `{name}` for parameters. `{name*}` at the end may contain slashes. */
  path: string;
  area: string;
  summary: string;
  access: Access;
  params?: TObject;
  query?: TObject;
  /** Headers besides the credential, only for the description: the handler reads them. */
  headers?: TObject;
  /** A JSON body, which the server reads whole and checks. */
  body?: TSchema;
  /** The body's limit, if its fields may exceed `limits.jsonBodyBytesMax`. */
  bodyBytesMax?: number;
  /** Instead of `body`: content types that the handler reads as a stream, with the shape of each. */
  stream?: Readonly<Record<string, TSchema>>;
  /** Whether the stream may be absent. */
  mayBeEmpty?: true;
  /** The body of the 200. */
  answer: TSchema;
  /** Content type of the answer, unless it is JSON. */
  answerType?: string;
  /** Successes with another status than 200, and when they occur. */
  otherAnswers?: Readonly<Record<number, string>>;
  /** Errors besides those that follow from the access and the shapes; see `errorsOf`. */
  errors: readonly ErrorCode[];
  /** A route of another program's protocol, which defines its answers and errors. */
  isForeign?: true;
};

type Shape<T, Otherwise> = T extends TSchema ? Static<T> : Otherwise;
export type ParamsOf<R extends Route> = Shape<R['params'], Record<never, never>>;
export type QueryOf<R extends Route> = Shape<R['query'], Record<never, never>>;
export type BodyOf<R extends Route> = Shape<R['body'], undefined>;
export type ResponseOf<R extends Route> = Static<R['answer']>;

/** Keeps the literal types, so that the types of handlers and client can derive from them. */
export function defineRoute<const R extends Route>(route: R): R {
  return route;
}

const tokenErrors = ['token_unknown', 'token_revoked', 'token_expired'] as const;
const managerErrors = ['session_missing', ...tokenErrors, 'wrong_token_kind', 'scope_missing'] as const;

const errorsByAccess: Readonly<Record<Access['by'], readonly ErrorCode[]>> = {
  anyone: [],
  token: ['token_missing', ...tokenErrors, 'rate_limited'],
  manager: [...managerErrors, 'not_found'],
  person: [...managerErrors, 'not_found', 'role_missing'],
  // The role check refuses tokens before they count against a rate limit.
  owner: [...managerErrors, 'role_missing'],
  user: [...managerErrors, 'role_missing'],
  anyManager: [...managerErrors, 'rate_limited'],
};

/** Lists the errors that follow from the route's access and shapes. */
export function impliedErrors(route: Route): ErrorCode[] {
  const implied = [...errorsByAccess[route.access.by]];
  if (route.access.by === 'token') {
    if (route.access.kinds.length < credentialKinds.length) implied.push('wrong_token_kind');
    if (route.access.action !== null) implied.push('scope_missing');
    if (route.access.inPath) implied.splice(implied.indexOf('token_missing'), 1);
  }
  if (route.access.by === 'manager') {
    if (route.access.role !== 'viewer') implied.push('role_missing');
    if (route.access.role !== 'owner') implied.push('rate_limited');
  }
  if (changesByCookie(route)) implied.push('cross_site');
  if (route.params) implied.push('not_found'); // not every text is a valid name
  if (route.query || route.body) implied.push('invalid_field');
  if (route.body) implied.push('invalid_json', 'body_too_large', 'unsupported_content_type');
  return implied;
}

/** Lists every error of a route, except those of any request (400 malformed, 404, 405, 408, 5xx). */
export function errorsOf(route: Route): ErrorCode[] {
  return [...new Set([...impliedErrors(route), ...route.errors])];
}

/** Returns whether another site's page could use the browser's cookie here, so that the server must check the caller's site. */
export function changesByCookie(route: Route): boolean {
  return route.method !== 'GET' && route.path.startsWith('/api/manage/');
}

export const ErrorResponse = Type.Object(
  {
    error: Type.String({ description: 'A sentence that says what to change.' }),
    code: Type.String({ description: 'Stable error code.' }),
    field: Type.Optional(
      Type.String({
        description: 'Name of the invalid field, with dots if nested. Absent if no single field is invalid.',
      }),
    ),
    index: Type.Optional(Type.Integer({ description: 'Index of the log entry in its batch, from zero.' })),
    position: Type.Optional(
      Type.Integer({ description: 'Position of the mistake in `query`, in UTF-16 units from zero.' }),
    ),
    message: Type.Optional(Type.String({ description: 'On webhook routes: the same as `error`.' })),
    retry_after: Type.Optional(
      Type.Integer({ description: 'On webhook routes: seconds to wait before trying again.' }),
    ),
  },
  { $id: 'Error' },
);

export const StatusOk = Type.Object({ status: Type.Literal('ok') });
