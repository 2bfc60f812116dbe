/** Deliveries: who was notified of what, the response, and retrying by hand. */
import Type from 'typebox';
import { defineRoute } from './route.ts';
import { Id, Instant, nullable, PageLimit, ProjectParams } from './values.ts';
import { deliveryStates } from './vocabulary.ts';

const area = 'Deliveries';
const path = '/api/manage/projects/{project}/deliveries';

export const DeliveryRecord = Type.Object({
  id: Id,
  channel: Id,
  rule: nullable(Id),
  type: Type.String({ examples: ['rule.fired'] }),
  messageId: Type.String({ description: 'The webhook-id. Repeats have the same one.' }),
  state: Type.Enum(deliveryStates, { description: 'merged: counted in another notification.' }),
  dueAt: Instant,
  attempts: Type.Array(
    Type.Object({
      at: Instant,
      status: nullable(Type.Integer()),
      answer: Type.String({ description: 'The first KiB of the response, or why there was none.' }),
      tookMs: Type.Integer(),
    }),
  ),
  createdAt: Instant,
  endedAt: nullable(Instant),
});

export const listDeliveries = defineRoute({
  id: 'listDeliveries',
  method: 'GET',
  path,
  area,
  summary: 'List the notifications of the last thirty days, newest first.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  query: Type.Object({
    channel: Type.Optional(Id),
    rule: Type.Optional(Id),
    before: Type.Optional(Id),
    limit: PageLimit,
  }),
  answer: Type.Object({ deliveries: Type.Array(DeliveryRecord), nextBefore: nullable(Id) }),
  errors: [],
});

export const repeatDelivery = defineRoute({
  id: 'repeatDelivery',
  method: 'POST',
  path: `${path}/{delivery}/repeat`,
  area,
  summary: 'Send a notification again with the same message id.',
  access: { by: 'manager', role: 'admin' },
  params: Type.Object({ ...ProjectParams.properties, delivery: Id }),
  answer: Type.Object({ delivery: DeliveryRecord }),
  errors: ['not_found'],
});
