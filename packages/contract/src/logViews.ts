/** Saved log views: named searches shared within a project. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { Id, Instant, Name, ProjectParams } from './values.ts';
import { limits } from './vocabulary.ts';

const area = 'Saved log views';
const path = '/api/manage/projects/{project}/log-views';

const Question = Type.String({
  maxLength: limits.logViewCharactersMax,
  description:
    'Query string of a search, without the question mark: keys of GET /v3/logs and any that clients add.',
  examples: ['dataset=game&level=error'],
});

export const LogViewRecord = Type.Object({
  id: Id,
  name: Type.String(),
  query: Type.String(),
  createdAt: Instant,
  createdBy: Type.String(),
});
const ViewParams = Type.Object({ ...ProjectParams.properties, view: Id });
const ViewAnswer = Type.Object({ view: LogViewRecord });

export const listLogViews = defineRoute({
  id: 'listLogViews',
  method: 'GET',
  path,
  area,
  summary: 'List the saved views of the project, by name.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: Type.Object({ views: Type.Array(LogViewRecord) }),
  errors: [],
});

export const createLogView = defineRoute({
  id: 'createLogView',
  method: 'POST',
  path,
  area,
  summary: 'Save a search under a name.',
  access: { by: 'manager', role: 'member' },
  params: ProjectParams,
  body: Type.Object({ name: Name, query: Question }),
  bodyBytesMax: limits.logViewBodyBytesMax,
  answer: ViewAnswer,
  errors: ['name_taken'],
});

export const updateLogView = defineRoute({
  id: 'updateLogView',
  method: 'PATCH',
  path: `${path}/{view}`,
  area,
  summary: 'Rename a saved view or replace its search.',
  access: { by: 'manager', role: 'member' },
  params: ViewParams,
  body: Type.Object({ name: Type.Optional(Name), query: Type.Optional(Question) }),
  bodyBytesMax: limits.logViewBodyBytesMax,
  answer: ViewAnswer,
  errors: ['not_found', 'name_taken'],
});

export const deleteLogView = defineRoute({
  id: 'deleteLogView',
  method: 'DELETE',
  path: `${path}/{view}`,
  area,
  summary: 'Remove a saved view.',
  access: { by: 'manager', role: 'member' },
  params: ViewParams,
  answer: StatusOk,
  errors: ['not_found'],
});
