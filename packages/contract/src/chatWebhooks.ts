/** Chat webhooks: addresses that accept messages in the format of chat platforms, with our token instead of theirs. */
import Type from 'typebox';
import { Attachment, chatForms, MessageLevel, MessageParts } from './chat.ts';
import { intakeErrors } from './logs.ts';
import { defineRoute } from './route.ts';

const area = 'Logs';
const Text = Type.String();
const access = {
  by: 'token',
  kinds: ['logs', 'webhook', 'sdk'],
  action: 'write',
  apiKey: false,
  inPath: true,
} as const;
const path = '/api/webhooks/{webhook}/{token}';
const params = Type.Object({
  webhook: Type.String({ description: 'Any id. The message returns it as `webhook_id`.' }),
  token: Type.String({ description: 'A logs or webhook token.' }),
});

/** The fields of a message that libraries for the platform expect. */
export const WebhookMessage = Type.Object({
  id: Type.String({ description: 'Message id in digits, ordered by time.' }),
  type: Type.Integer(),
  content: Text,
  embeds: Type.Array(Type.Unknown()),
  channel_id: Text,
  webhook_id: Text,
  timestamp: Text,
  edited_timestamp: Type.Null(),
  author: Type.Object({ id: Text, username: Text, avatar: Type.Null(), bot: Type.Boolean() }),
  attachments: Type.Array(Attachment),
  mentions: Type.Array(Text),
  mention_roles: Type.Array(Text),
  mention_everyone: Type.Boolean(),
  pinned: Type.Boolean(),
  tts: Type.Boolean(),
  flags: Type.Integer(),
});

const AttachmentMessage = Type.Object({
  text: Type.Optional(Text),
  username: Type.Optional(Text),
  icon_url: Type.Optional(Text),
  attachments: Type.Optional(MessageParts),
  blocks: Type.Optional(MessageParts),
});

const AttachmentForm = Type.Object({ payload: Type.String({ description: 'The message as JSON.' }) });

export const sendWebhook = defineRoute({
  id: 'sendWebhook',
  method: 'POST',
  path,
  area,
  summary:
    'Store a chat payload. The response is 204 without a body, or the message if you send files or wait=true. Files are kept if you use a webhook token.',
  access,
  params,
  query: Type.Object({
    dataset: Type.Optional(Text),
    level: MessageLevel,
    wait: Type.Optional(Type.String({ description: 'true: return the message.' })),
  }),
  stream: chatForms,
  answer: WebhookMessage,
  otherAnswers: { 204: 'Stored. No body, because the request had neither files nor wait=true.' },
  errors: intakeErrors,
});

export const sendAttachments = defineRoute({
  id: 'sendAttachments',
  method: 'POST',
  path: `${path}/attachments`,
  area,
  summary: 'Store a message with `text` and `attachments`.',
  access,
  params,
  query: Type.Object({ dataset: Type.Optional(Text), level: MessageLevel }),
  stream: { 'application/json': AttachmentMessage, 'application/x-www-form-urlencoded': AttachmentForm },
  answer: Type.Literal('ok'),
  answerType: 'text/plain',
  errors: intakeErrors,
});

export const describeWebhook = defineRoute({
  id: 'describeWebhook',
  method: 'GET',
  path,
  area,
  summary: 'Describe a webhook. Some senders ask for this before they send.',
  access,
  params,
  answer: Type.Object({
    id: Text,
    token: Text,
    type: Type.Literal(1),
    name: Text,
    channel_id: Text,
    avatar: Type.Null(),
  }),
  errors: [],
});
