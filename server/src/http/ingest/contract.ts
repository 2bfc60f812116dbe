/** Routes of other programs' protocols, derived from the descriptions of the protocols. */

import { uploadErrors } from '@tapedeck/contract/files';
import { type Access, defineRoute, type Route, StatusOk } from '@tapedeck/contract/route';
import { type MediaType, mediaTypes } from '@tapedeck/domain/vocabulary';
import { type EntryRoute, type Protocol, protocols, type QuestionRoute } from '@tapedeck/log-protocols';
import Type, { type TSchema } from 'typebox';

const area = 'doors';
const anyBody = Type.Unknown({ description: 'As the protocol defines it.' });
const bodyTypes: Readonly<Record<string, TSchema>> = Object.fromEntries(
  ['application/json', 'application/x-ndjson', 'application/x-protobuf', 'text/plain'].map(type => [
    type,
    anyBody,
  ]),
);

const lineField = Type.Optional(
  Type.String({ description: 'Names of JSON fields that may hold the value, separated by commas.' }),
);

/** Lines belong to no other program, so they get the service's own answers. */
const ownForms = {
  area: 'Logs',
  query: Type.Object({
    dataset: Type.Optional(Type.String({ description: 'Dataset for entries that name none.' })),
    messageField: lineField,
    levelField: lineField,
    timeField: lineField,
    resourceField: lineField,
  }),
  stream: {
    'application/x-ndjson': Type.String({ description: 'One JSON object per line.' }),
    'application/json': Type.Unknown({ description: 'One object, or a list of objects.' }),
    'text/plain': Type.String({ description: 'One message per line; JSON lines are recognised.' }),
  },
  answer: StatusOk,
};

const FivemerrForm = Type.Object({ file: Type.String({ contentMediaType: 'application/octet-stream' }) });
const FivemerrJson = Type.Object({
  file: Type.String({ description: 'File as a data URL or base64. Alias: `data`.' }),
});

const Digits = Type.String({ pattern: '^\\d+$' });

/** A route that requires a token with permission to send entries. */
type TokenRoute = Route & { access: Extract<Access, { by: 'token' }> };

const tokenAccess = {
  by: 'token',
  kinds: ['logs', 'sdk'],
  action: 'write',
  apiKey: true,
  spelling: 'any',
} as const;

/** Handlers also need the protocol's own description. */
export type DescribedEntries = { protocol: Protocol; described: EntryRoute<object>; route: TokenRoute };
export type DescribedQuestion = { protocol: Protocol; described: QuestionRoute; route: Route };

export const entryRoutes: readonly DescribedEntries[] = protocols.flatMap(protocol =>
  protocol.entryRoutes.map(described => ({
    protocol,
    described,
    route: makeEntryRoute(protocol, described),
  })),
);

export const questionRoutes: readonly DescribedQuestion[] = protocols.flatMap(protocol =>
  protocol.questionRoutes.map(described => ({ protocol, described, route: makeQuestionRoute(described) })),
);

function makeEntryRoute(
  { refuse }: Protocol,
  { isTokenInPath, tokenKinds, ...described }: EntryRoute<object>,
): TokenRoute {
  const { id, method, path, summary } = described;
  const route = {
    id,
    method,
    path,
    summary,
    area,
    ...describeParams(path),
    access: { ...tokenAccess, kinds: tokenKinds, ...(isTokenInPath && { inPath: true as const }) },
    stream: bodyTypes,
    answer: anyBody,
    errors: [
      'bad_request',
      'invalid_json',
      'invalid_field',
      'body_too_large',
      'unsupported_content_type',
      'scope_missing',
      'journal_full',
      'disk_full',
    ],
  } as const;
  return refuse === null ? { ...route, ...ownForms } : { ...route, isForeign: true };
}

function makeQuestionRoute({ id, method, path, summary, needsToken }: QuestionRoute): Route {
  const hasBody = method === 'POST' || method === 'PUT';
  return {
    id,
    method,
    path,
    summary,
    area,
    ...describeParams(path),
    isForeign: true,
    access: needsToken ? tokenAccess : { by: 'anyone' },
    ...(hasBody && { stream: bodyTypes }),
    answer: anyBody,
    errors: hasBody ? ['bad_request', 'invalid_json', 'body_too_large', 'unsupported_content_type'] : [],
  };
}

/** Describes the names in a path, except the token, which is no parameter for the handler. */
function describeParams(path: string): Pick<Route, 'params'> {
  const names = [...path.matchAll(/\{(\w+)\*?\}/g)].flatMap(([, name = '']) =>
    name === 'token' ? [] : [name],
  );
  if (names.length === 0) return {};
  return {
    params: Type.Object(
      Object.fromEntries(names.map(name => [name, name === 'number' ? Digits : Type.String()])),
    ),
  };
}

function fivemerrUpload(type: MediaType) {
  const route = defineRoute({
    isForeign: true,
    id: `fivemerr_${type}`,
    method: 'POST',
    path: `/v1/media/${type}s`,
    area,
    summary: `Upload ${type}, as clients of Fivemerr do. The part is named file or data.`,
    access: { by: 'token', kinds: ['media'], action: 'write', apiKey: true, spelling: 'any' },
    stream: {
      'multipart/form-data': FivemerrForm,
      'application/json': FivemerrJson,
      'application/x-www-form-urlencoded': FivemerrJson,
      'text/plain': Type.String(),
    },
    answer: Type.Object({ url: Type.String(), id: Type.String() }),
    errors: [...uploadErrors],
  });
  return { type, route };
}

export const fivemerrUploads = mediaTypes.map(fivemerrUpload);

/** The paths of all these routes, in the notation of routes. */
export const foreignPaths: readonly string[] = [
  ...[...entryRoutes, ...questionRoutes, ...fivemerrUploads].map(({ route }) => route.path),
];
