/** API tokens of a project: create, list, revoke. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { Id, Instant, nullable, ProjectParams, recordOf, Slug, TokenKindName } from './values.ts';
import { credentialKinds, limits, patterns } from './vocabulary.ts';

const area = 'Tokens';

const TokenName = Type.String({
  maxLength: limits.nameCharactersMax,
  pattern: patterns.line,
  description: 'Name that says what the token is for.',
});
const Scopes = Type.Array(Type.String({ minLength: 1, maxLength: limits.scopeCharactersMax }), {
  maxItems: limits.tokenScopesMax,
  description:
    'Limits what the token may do: read, write, delete, type:image|video|audio, path:<folder>, dataset:<name>. Empty: no limits.',
});

export const TokenRecord = Type.Object({
  id: Id,
  prefix: Type.String({ description: 'The first characters of the token.' }),
  kind: TokenKindName,
  project: Slug,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  createdAt: Instant,
  createdBy: Type.String(),
  createdByUser: nullable(Id),
  lastUsedAt: nullable(Instant),
  expiresAt: nullable(Instant),
});

export const describeToken = defineRoute({
  id: 'describeToken',
  method: 'GET',
  path: '/api/v3/token',
  area,
  summary: 'Describe the token of the request, so that scripts can check their configuration.',
  access: { by: 'token', kinds: credentialKinds, action: null, apiKey: false },
  answer: Type.Object({
    data: Type.Object({
      kind: Type.Enum(credentialKinds),
      project: Slug,
      name: Type.String(),
      scopes: Type.Array(Type.String()),
    }),
    status: Type.Literal('ok'),
  }),
  errors: [],
});

export const listTokens = defineRoute({
  id: 'listTokens',
  method: 'GET',
  path: '/api/manage/projects/{project}/tokens',
  area,
  summary: 'List the tokens of the project that are not revoked.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: Type.Object({ tokens: Type.Array(TokenRecord) }),
  errors: [],
});

export const createToken = defineRoute({
  id: 'createToken',
  method: 'POST',
  path: '/api/manage/projects/{project}/tokens',
  area,
  summary: 'Create a token. Only this response shows it.',
  access: { by: 'manager', role: 'member' },
  params: ProjectParams,
  body: Type.Object({
    kind: TokenKindName,
    name: Type.Optional(TokenName),
    scopes: Type.Optional(Scopes),
    expiresAt: Type.Optional(nullable(Instant)),
  }),
  bodyBytesMax: limits.tokenBodyBytesMax,
  answer: Type.Object({ token: Type.String({ description: '32-character token.' }), record: TokenRecord }),
  errors: [],
});

export const createShareXUploader = defineRoute({
  id: 'createShareXUploader',
  method: 'POST',
  path: '/api/manage/projects/{project}/sharex',
  area,
  summary: 'Create a token named ShareX and get the uploader file (.sxcu) to import into ShareX.',
  access: { by: 'manager', role: 'member' },
  params: ProjectParams,
  body: Type.Object({
    path: Type.Optional(Type.String({ description: 'Folder for uploaded files; absent: no folder.' })),
  }),
  answer: recordOf(Type.Unknown(), {
    description: 'Uploader file, as an attachment. Opening it imports it into ShareX.',
  }),
  errors: ['path_invalid'],
});

export const revokeToken = defineRoute({
  id: 'revokeToken',
  method: 'DELETE',
  path: '/api/manage/projects/{project}/tokens/{token}',
  area,
  summary: 'Revoke a token and all tokens created with it. Every node refuses them within a second.',
  access: { by: 'manager', role: 'member' },
  params: Type.Object({ ...ProjectParams.properties, token: Id }),
  answer: StatusOk,
  errors: [],
});
