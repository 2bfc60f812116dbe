/** Chat messages: the shapes webhooks send, and the shapes that describe their files. */
import Type from 'typebox';
import { describedWords } from './values.ts';
import { logLevels } from './vocabulary.ts';

const Text = Type.String();

/** Message parts in the platforms' format. */
export const MessageParts = Type.Array(Type.Object({}, { additionalProperties: true }));

export const ChatPayload = Type.Object({
  username: Type.Optional(Text),
  avatar_url: Type.Optional(Text),
  content: Type.Optional(Text),
  embeds: Type.Optional(MessageParts),
  components: Type.Optional(
    Type.Array(Type.Object({}, { additionalProperties: true }), { description: 'Only texts are used.' }),
  ),
});

export const ChatForm = Type.Object({
  payload_json: Type.Optional(
    Type.String({ description: 'The message as JSON. Files sent with it are stored for webhook tokens.' }),
  ),
  content: Type.Optional(Type.String({ description: 'Text of the message, instead of payload_json.' })),
  username: Type.Optional(Text),
  avatar_url: Type.Optional(Text),
});

/** A stored file of a message, described as chat platforms do. */
export const Attachment = Type.Object({
  id: Type.String({ description: 'Id of the file, digits only.' }),
  filename: Text,
  size: Type.Integer({ description: 'Size in bytes.' }),
  content_type: Text,
  url: Type.String({ description: 'Public URL.' }),
  proxy_url: Type.String({ description: 'Same as url.' }),
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
});

export const MessageLevel = Type.Optional(
  Type.String({ description: 'Level of all entries; overrides colours.', [describedWords]: logLevels }),
);

export const chatForms = {
  'application/json': ChatPayload,
  'multipart/form-data': ChatForm,
  'application/x-www-form-urlencoded': ChatForm,
};
