/** What the package offers: entries out of chat messages, the forms in which these come, and how they are answered. */
export { type ShownMessage, writeAttachment, writeMessage } from './answers.ts';
export {
  type Attachment,
  describeAttachment,
  type KeptAttachment,
  readKeptAttachments,
} from './attachments.ts';
export { ChatFailure, chatCodes } from './failure.ts';
export { chatFieldNames, composePayload, isFilePart } from './forms.ts';
export {
  type ChatEntry,
  type ChatItem,
  type ChatMessage,
  type ChatOptions,
  readChatMessage,
} from './messages.ts';
