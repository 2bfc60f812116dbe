/** Health, readiness and version, for machines. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { nullable, recordOf } from './values.ts';
import { serviceRoles } from './vocabulary.ts';

const area = 'Service';
const Health = Type.Union([Type.Literal('ok'), Type.Literal('failing')]);

export const getHealth = defineRoute({
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  area,
  summary: 'Check that the process is running.',
  access: { by: 'anyone' },
  answer: StatusOk,
  errors: [],
});

export const getReadiness = defineRoute({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  area,
  summary:
    'Check that the service, or one of its roles, can work. A 503 names the failing stores and says what to do.',
  access: { by: 'anyone' },
  query: Type.Object({
    role: Type.Optional(
      Type.Enum(serviceRoles, {
        description:
          'Role to check. intake: accepting log entries. query: finding them. media: serving public files.',
      }),
    ),
  }),
  answer: Type.Object({
    status: Type.Literal('ok'),
    checks: recordOf(Health),
    roles: recordOf(Health),
    reasons: Type.Array(Type.String(), {
      description:
        'Problems, such as stores that do not answer or missing log entries: the reason, and what to do.',
    }),
    preparing: Type.Optional(
      Type.Object(
        {
          percent: Type.Integer(),
          entriesWithoutPattern: Type.Integer(),
          obstacle: nullable(Type.String()),
        },
        {
          description:
            'Progress of completing log entries that an earlier version stored. Requests do not wait for it.',
        },
      ),
    ),
  }),
  errors: ['not_ready'],
});

export const getMetrics = defineRoute({
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  area,
  summary: 'Get metrics for Prometheus, from the machine itself or with an admin token.',
  access: { by: 'anyone' },
  answer: Type.String(),
  answerType: 'text/plain',
  errors: ['token_missing', 'token_unknown', 'token_revoked', 'token_expired', 'wrong_token_kind'],
});
