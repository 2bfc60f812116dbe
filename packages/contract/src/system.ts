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
        description: 'intake: log entries are taken. query: they are found. media: public files are read.',
      }),
    ),
  }),
  answer: Type.Object({
    status: Type.Literal('ok'),
    checks: recordOf(Health),
    roles: recordOf(Health),
    reasons: Type.Array(Type.String(), {
      description:
        'Of each store that does not answer, and of log entries that are missing: why, and what to do.',
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
            'Log entries that an earlier version stored are being completed. Nothing waits for it.',
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
