/** Sessions of game servers: opened with an API token, kept alive, ended. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { describedWords, Id, Instant, nullable, ProjectParams, recordOf, TokenKindName } from './values.ts';
import { limits, patterns, sdkTypes } from './vocabulary.ts';

const area = 'SDK sessions';

/** Whole seconds, as deployed clients expect. */
const ExpiresAt = Type.String({ examples: ['2026-01-02T03:04:05Z'] });
const name = { maxLength: limits.sdkNameCharactersMax, pattern: patterns.line };

/** Words for types of game servers; `http/fieldAliases.ts` says what each means. */
export const sdkTypeWords = [...sdkTypes, 'fivem', 'roblox'] as const;

const Identity = Type.Object({
  sdkType: Type.Optional(
    Type.String({
      ...name,
      description: 'Type of game server, in any letter case. Alias: `type`.',
      [describedWords]: sdkTypeWords,
      examples: ['server_a'],
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      ...name,
      description: 'For server_a: address of the game server.',
      examples: ['play.example.org:30120'],
    }),
  ),
  resourceName: Type.Optional(
    Type.String({
      ...name,
      description: 'For server_a: name of the resource. Alias: `resource`.',
      examples: ['tapedeck'],
    }),
  ),
  universeId: Type.Optional(Type.String({ ...name, description: 'For server_b: id of the universe.' })),
  jobId: Type.Optional(Type.String({ ...name, description: 'For server_b: id of the job.' })),
  type: Type.Optional(Type.String({ ...name, [describedWords]: sdkTypeWords })),
  resource: Type.Optional(Type.String(name)),
});

export const reportSession = defineRoute({
  id: 'reportSession',
  method: 'POST',
  path: '/api/sdk/report',
  area,
  summary: 'Open a session, or refresh the existing session of this identity.',
  access: { by: 'token', kinds: ['media', 'logs'], action: 'write', apiKey: false },
  query: Identity,
  answer: Type.Object({ expiresAt: ExpiresAt, message: Type.String(), token: Type.String() }),
  errors: [],
});

export const extendSession = defineRoute({
  id: 'extendSession',
  method: 'POST',
  path: '/api/sdk/heartbeat',
  area,
  summary:
    'Keep alive the session of the SDK token or, with an API token, the session that the parameters identify.',
  access: { by: 'token', kinds: ['media', 'logs', 'sdk'], action: 'write', apiKey: false },
  query: Identity,
  answer: Type.Object({ status: Type.Literal('ok'), expiresAt: ExpiresAt }),
  errors: ['not_found'],
});

export const invalidateSession = defineRoute({
  id: 'invalidateSession',
  method: 'POST',
  path: '/api/sdk/invalidate',
  area,
  summary:
    'End the session of the SDK token or, with an API token, the session that the parameters identify.',
  access: { by: 'token', kinds: ['media', 'logs', 'sdk'], action: 'write', apiKey: false },
  query: Identity,
  answer: Type.String({ examples: ['SDK resource invalidated.'] }),
  errors: [],
});

export const SdkSession = Type.Object({
  id: Id,
  sdkType: Type.Enum(sdkTypes),
  endpoint: Type.Optional(Type.String()),
  resourceName: Type.Optional(Type.String()),
  universeId: Type.Optional(Type.String()),
  jobId: Type.Optional(Type.String()),
  openedBy: Type.Array(Type.Object({ prefix: Type.String(), name: Type.String(), kind: TokenKindName }), {
    description: 'Tokens used to report the session, earliest first.',
  }),
  createdAt: Instant,
  refreshedAt: Instant,
  expiresAt: Instant,
});

export const listSessions = defineRoute({
  id: 'listSessions',
  method: 'GET',
  path: '/api/manage/projects/{project}/sdk-sessions',
  area,
  summary: 'List the live sessions of the project and those that expired in the last day.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: Type.Object({
    sessions: Type.Array(SdkSession),
    quiet: Type.Array(SdkSession, {
      description:
        'Sessions of servers that stopped reporting, unless ended on purpose or reported again. Latest first.',
    }),
  }),
  errors: [],
});

const SessionParams = Type.Object({ ...ProjectParams.properties, session: Id });
const ShortText = Type.String();

export const getServerReport = defineRoute({
  id: 'getServerReport',
  method: 'GET',
  path: '/api/manage/projects/{project}/sdk-sessions/{session}/report',
  area,
  summary: 'Ask the game server of a session for its `health` and `actions`.',
  access: { by: 'manager', role: 'viewer' },
  params: SessionParams,
  answer: Type.Object({
    health: Type.Array(Type.Object({ name: ShortText, value: ShortText })),
    actions: Type.Array(
      Type.Object({
        id: ShortText,
        title: ShortText,
        fields: Type.Array(ShortText, { description: 'Names of the text fields that the action takes.' }),
      }),
    ),
    problem: nullable(Type.String({ description: 'Why the server sent no report.' })),
  }),
  errors: [],
});

export const runServerAction = defineRoute({
  id: 'runServerAction',
  method: 'POST',
  path: '/api/manage/projects/{project}/sdk-sessions/{session}/actions/{action}',
  area,
  summary: 'Run one of the actions that the game server of a session offers.',
  access: { by: 'manager', role: 'member' },
  params: Type.Object({
    ...SessionParams.properties,
    action: Type.String({ maxLength: limits.sdkNameCharactersMax }),
  }),
  body: Type.Object({ fields: Type.Optional(recordOf(Type.String())) }),
  answer: Type.Object({
    done: Type.Boolean(),
    message: Type.String({ description: 'The reply of the game server, or the reason why it did nothing.' }),
  }),
  errors: [],
});

export const endSession = defineRoute({
  id: 'endSession',
  method: 'DELETE',
  path: '/api/manage/projects/{project}/sdk-sessions/{session}',
  area,
  summary: 'End a session. Its token is refused within a second. The server may open a new one.',
  access: { by: 'manager', role: 'member' },
  params: Type.Object({ ...ProjectParams.properties, session: Id }),
  answer: StatusOk,
  errors: ['not_found'],
});
