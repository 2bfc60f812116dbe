/** Notification channels of a project. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { RuleWarnings } from './rules.ts';
import { Id, Instant, Name, nullable, ProjectParams } from './values.ts';
import { channelEvents, channelKinds, limits, severities } from './vocabulary.ts';

const area = 'Channels';
const path = '/api/manage/projects/{project}/channels';

export const ChannelEvents = Type.Array(Type.Enum(channelEvents), {
  maxItems: channelEvents.length,
  uniqueItems: true,
  description:
    'Project events that a channel of kind webhook also receives. Rules notify the channels that they name.',
});
export const ChannelSeverities = Type.Array(Type.Enum(severities), {
  maxItems: severities.length,
  uniqueItems: true,
  description: 'Severities of the alerts that the channel receives. Empty means all.',
});
const Target = Type.String({
  minLength: 1,
  maxLength: limits.channelTargetCharactersMax,
  description: `An HTTP(S) URL. For email: up to ${limits.channelAddressesMax} addresses, separated by commas.`,
});

export const ChannelRecord = Type.Object({
  id: Id,
  name: Type.String(),
  kind: Type.Enum(channelKinds),
  target: Type.String({ description: 'Where notifications are sent, without the secret part.' }),
  events: ChannelEvents,
  severities: ChannelSeverities,
  warnings: RuleWarnings,
  enabled: Type.Boolean(),
  offReason: nullable(Type.String({ description: 'Why the service turned the channel off.' })),
  failingSince: nullable(Instant),
  createdAt: Instant,
  createdBy: Type.String(),
});
const ChannelParams = Type.Object({ ...ProjectParams.properties, channel: Id });
const ChannelAnswer = Type.Object({ channel: ChannelRecord });
const Secret = Type.String({ description: 'Secret that signs the notifications. Shown once.' });

export const listChannels = defineRoute({
  id: 'listChannels',
  method: 'GET',
  path,
  area,
  summary: 'List the channels of the project, by name.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: Type.Object({ channels: Type.Array(ChannelRecord) }),
  errors: [],
});

export const createChannel = defineRoute({
  id: 'createChannel',
  method: 'POST',
  path,
  area,
  summary: 'Add a channel.',
  access: { by: 'manager', role: 'admin' },
  params: ProjectParams,
  body: Type.Object({
    name: Name,
    kind: Type.Enum(channelKinds),
    target: Target,
    events: Type.Optional(ChannelEvents),
    severities: Type.Optional(ChannelSeverities),
  }),
  bodyBytesMax: limits.channelBodyBytesMax,
  answer: Type.Object({ channel: ChannelRecord, secret: Type.Optional(Secret) }),
  errors: ['name_taken'],
});

export const updateChannel = defineRoute({
  id: 'updateChannel',
  method: 'PATCH',
  path: `${path}/{channel}`,
  area,
  summary:
    'Change a channel. Send enabled: true to turn on a channel that was turned off because it kept failing.',
  access: { by: 'manager', role: 'admin' },
  params: ChannelParams,
  body: Type.Object({
    name: Type.Optional(Name),
    target: Type.Optional(Target),
    events: Type.Optional(ChannelEvents),
    severities: Type.Optional(ChannelSeverities),
    enabled: Type.Optional(Type.Boolean()),
  }),
  bodyBytesMax: limits.channelBodyBytesMax,
  answer: ChannelAnswer,
  errors: ['not_found', 'name_taken'],
});

export const deleteChannel = defineRoute({
  id: 'deleteChannel',
  method: 'DELETE',
  path: `${path}/{channel}`,
  area,
  summary: 'Remove a channel. No rule may use it.',
  access: { by: 'manager', role: 'admin' },
  params: ChannelParams,
  answer: StatusOk,
  errors: ['not_found', 'channel_in_use'],
});

export const testChannel = defineRoute({
  id: 'testChannel',
  method: 'POST',
  path: `${path}/{channel}/test`,
  area,
  summary: 'Send a test notification and get the response.',
  access: { by: 'manager', role: 'admin' },
  params: ChannelParams,
  answer: Type.Object({
    status: nullable(Type.Integer({ description: 'HTTP status, or null if there was no response.' })),
    answer: Type.String({ description: 'The first KiB of the response, or why there was none.' }),
    tookMs: Type.Integer(),
  }),
  errors: ['not_found'],
});

export const rotateChannel = defineRoute({
  id: 'rotateChannel',
  method: 'POST',
  path: `${path}/{channel}/rotate`,
  area,
  summary: 'Give a webhook channel a new secret. For a day, notifications are signed with both.',
  access: { by: 'manager', role: 'admin' },
  params: ChannelParams,
  answer: Type.Object({ secret: Secret }),
  errors: ['not_found', 'invalid_field'],
});
