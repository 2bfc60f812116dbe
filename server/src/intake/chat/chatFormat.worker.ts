/** The format of chat webhooks: a message with embeds, as JSON. */
import { extname } from 'node:path';
import { complainOfHalfPair, requireTexts } from '@tapedeck/json-values';
import { parseBody } from '@tapedeck/log-entries';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { type ChatOptions, findChatEntries } from './chatEntries.ts';

export const format: EntryFormat<ChatOptions> = {
  module: new URL(`./chatFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  read(body, options, rules) {
    const payload = parseBody(body);
    requireTexts(payload, complainOfHalfPair);
    return findChatEntries(payload, options, rules);
  },
};
