/** The audit log: who changed what, and when. */
import Type from 'typebox';
import { defineRoute } from './route.ts';
import { Id, Instant, nullable, PageLimit, ProjectParams, recordOf, Slug } from './values.ts';

const area = 'Audit log';

export const AuditRecord = Type.Object({
  id: Id,
  at: Instant,
  actor: Type.String(),
  project: nullable(Slug),
  action: Type.String({ examples: ['token.create'] }),
  target: Type.String(),
  details: recordOf(Type.Unknown()),
});
const AuditQuery = Type.Object({
  limit: PageLimit,
  before: Type.Optional(Id),
});
const AuditAnswer = Type.Object({ entries: Type.Array(AuditRecord), nextBefore: nullable(Id) });

export const listAudit = defineRoute({
  id: 'listAudit',
  method: 'GET',
  path: '/api/manage/audit',
  area,
  summary: 'List changes to the installation, newest first.',
  access: { by: 'owner' },
  query: AuditQuery,
  answer: AuditAnswer,
  errors: [],
});

export const listProjectAudit = defineRoute({
  id: 'listProjectAudit',
  method: 'GET',
  path: '/api/manage/projects/{project}/audit',
  area,
  summary: 'List changes to the project, newest first.',
  access: { by: 'manager', role: 'admin' },
  params: ProjectParams,
  query: AuditQuery,
  answer: AuditAnswer,
  errors: [],
});
