/** The format of messages with a text and attachments, which are read as the chat messages that they stand for. */
import { extname } from 'node:path';
import { complainOfHalfPair, requireTexts } from '@tapedeck/json-values';
import { parseBody } from '@tapedeck/log-entries';
import { type ChatOptions, findChatEntries } from '../chat/chatEntries.ts';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { translateAttachment, translateMessage } from './attachmentMessages.ts';

export const format: EntryFormat<ChatOptions> = {
  module: new URL(`./attachmentFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  read(body, options, { range }) {
    const message = parseBody(body);
    requireTexts(message, complainOfHalfPair); // by the names that the sender knows
    const found = findChatEntries(translateMessage(message), options, {
      range,
      translateEmbed: translateAttachment,
    });
    return { ...found, shown: null };
  },
};
