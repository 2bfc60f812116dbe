/** Defines a route as data. Validation, types, OpenAPI and the client derive from it. */
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import {
  type CredentialKind,
  credentialKinds,
  type ErrorCode,
  type Role,
  type TokenAction,
} from './vocabulary.ts';

/** The access that a route requires. */
export type Access =
  | { by: 'anyone' }
  /** A token of one of the kinds, with the action, if any, in its scopes; in the query, too, where `apiKey` is true. */
  | {
      by: 'token';
      kinds: readonly CredentialKind[];
      action: TokenAction | null;
      apiKey: boolean;
      /** The token is the parameter `token` of the path, and looked for nowhere else. */
      inPath?: true;
      /** Other programs' ways to send it count, too: their headers, and the password of `Basic`. */
      spelling?: 'any';
    }
  /** A signed-in user with the role in the project of the path, or an admin token of that project. */
  | { by: 'manager'; role: Role }
  /** A signed-in user with the role in the project of the path. No token: those have routes of their own. */
  | { by: 'person'; role: Role }
  /** A signed-in user who owns the installation. */
  | { by: 'owner' }
  /** Any signed-in user. */
  | { by: 'user' }
  /** Any signed-in user or admin token. */
  | { by: 'anyManager' };

export type Route = {
  /** Verb and noun; the name of the operation in OpenAPI and in the client. */
  id: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path from the server's root, with `{name}` for parameters and, at the end, `{name*}` for one that holds slashes. */
  path: string;
  area: string;
  summary: string;
  access: Access;
  params?: TObject;
  query?: TObject;
  /** Headers beside the credential, for the description alone: the handler reads them. */
  headers?: TObject;
  /** A JSON body, read whole and checked. */
  body?: TSchema;
  /** How long that body may be, where its fields may take more than `limits.jsonBodyBytesMax`. */
  bodyBytesMax?: number;
  /** Instead of `body`: content types whose bytes the handler reads as they come, with the shape of each. */
  stream?: Readonly<Record<string, TSchema>>;
  /** Whether those bytes may be left out. */
  mayBeEmpty?: true;
  /** The body of the 200. */
  answer: TSchema;
  /** Content type of the answer, unless it is JSON. */
  answerType?: string;
  /** Successes with another status than 200, and when they come. */
  otherAnswers?: Readonly<Record<number, string>>;
  /** Beyond those that follow from the access and the shapes; see `errorsOf`. */
  errors: readonly ErrorCode[];
  /** A route of another program's protocol: its answers, and its failures, have the form that the protocol says. */
  isForeign?: true;
};

type Shape<T, Otherwise> = T extends TSchema ? Static<T> : Otherwise;
export type ParamsOf<R extends Route> = Shape<R['params'], Record<never, never>>;
export type QueryOf<R extends Route> = Shape<R['query'], Record<never, never>>;
export type BodyOf<R extends Route> = Shape<R['body'], undefined>;
export type ResponseOf<R extends Route> = Static<R['answer']>;

/** Keeps the literal types, from which the types of handlers and client are computed. */
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
  // Tokens get no further than the question whose role it is, so their rate is not counted.
  owner: [...managerErrors, 'role_missing'],
  user: [...managerErrors, 'role_missing'],
  anyManager: [...managerErrors, 'rate_limited'],
};

/** The errors that follow from who may call a route, and from the shapes it takes. */
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
  if (route.params) implied.push('not_found'); // not every text can be a name
  if (route.query || route.body) implied.push('invalid_field');
  if (route.body) implied.push('invalid_json', 'body_too_large', 'unsupported_content_type');
  return implied;
}

/** Every error a route may answer, apart from those that any request may get (400 malformed, 404, 405, 408, 5xx). */
export function errorsOf(route: Route): ErrorCode[] {
  return [...new Set([...impliedErrors(route), ...route.errors])];
}

/** True where a browser's cookie could be used by another site's page, so that the caller's site must be checked. */
export function changesByCookie(route: Route): boolean {
  return route.method !== 'GET' && route.path.startsWith('/api/manage/');
}

export const ErrorResponse = Type.Object(
  {
    error: Type.String({ description: 'A sentence that says what to change.' }),
    code: Type.String({ description: 'A stable code.' }),
    field: Type.Optional(
      Type.String({
        description: 'The one field that is wrong; nested ones with dots. Absent where there is none.',
      }),
    ),
    index: Type.Optional(Type.Integer({ description: 'Of the log entry in its batch, from zero.' })),
    position: Type.Optional(
      Type.Integer({ description: 'Of the mistake in `query`, in UTF-16 units from zero.' }),
    ),
    message: Type.Optional(Type.String({ description: 'On webhook routes: the sentence again.' })),
    retry_after: Type.Optional(
      Type.Integer({ description: 'On webhook routes: seconds after which a repeat may succeed.' }),
    ),
  },
  { $id: 'Error' },
);

export const StatusOk = Type.Object({ status: Type.Literal('ok') });
