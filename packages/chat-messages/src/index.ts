/** Converts chat messages to log entries, and composes the responses that chat clients expect. */
export { type ShownMessage, writeAttachment, writeMessage } from './answers.ts';
export {
  type Attachment,
  describeAttachment,
  type KeptAttachment,
  readKeptAttachments,
} from './attachments.ts';
export { ChatFailure, chatCodes } from './failure.ts';
export { chatFieldNames, composePayload, isFilePart } from './forms.ts';
export { type ChatEntry, type ChatOptions, readChatMessage } from './messages.ts';
