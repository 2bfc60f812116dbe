/** The format of chat webhooks: a message as JSON with embeds, or with attachments. */
import { extname } from 'node:path';
import { type ChatEntry, type ChatOptions, readChatMessage } from '@tapedeck/chat-messages';
import { parseBody } from '@tapedeck/log-entries';
import { describeLoneSurrogate, requireTexts } from '@tapedeck/values/json';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';

export const format: EntryFormat<ChatOptions> = {
  module: new URL(`./chatFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  unpacksLarge: () => false,
  plain: null,
  plainSent: null,
  read(body, options, { range }) {
    const payload = parseBody(body);
    requireTexts(payload, describeLoneSurrogate); // errors use the names that the sender knows
    const { entries, translate, shown } = readChatMessage(payload, options, range);
    return {
      entries,
      parentIsFirst: true,
      places: null,
      show: () => shown,
      translate: entry => translate(entry as ChatEntry), // it always gets one of these entries
    };
  },
};
