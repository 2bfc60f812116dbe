/** Makes items of a body in whichever form its entries come, and writes them into a batch. */

import { complainOfHalfPair, isObject, requireTexts } from '@tapedeck/json-values';
import {
  createItemWriter,
  entryLimits,
  formatTraceId,
  type ItemSink,
  parseBody,
  writeItem,
} from '@tapedeck/log-entries';
import { limits, ServiceError } from '../../../vocabulary.ts';
import type { EntryForm, EntryRules, ForeignEntries } from '../../ports/drafts.ts';
import { translateAttachments } from './attachmentMessages.ts';
import { translateChat } from './chat.ts';

export type EntryItems = {
  items: readonly unknown[];
  /** Whether all items but the first hang below the first. */
  parentIsFirst: boolean;
  /** Replaces an item by the one to store; called for one item at a time, just before it is written. */
  mend: ((item: unknown) => unknown) | null;
  /** Of a chat, as it was parsed; null for other forms. */
  payload: unknown;
};

/** Foreign bodies may come to no items. */
export function readItems(form: EntryForm, body: Buffer, rules: EntryRules): EntryItems {
  return typeof form === 'object'
    ? composeForeign(form.readEntries(body, form.options), rules)
    : composeItems(form, parseBody(body), rules);
}

/** The same for bodies that are done in a moment; null for others: a few kilobytes may take longer than an honest batch. */
export function readBriefItems(form: EntryForm, body: Buffer, rules: EntryRules): EntryItems | null {
  if (body.length > (form === 'batch' ? limits.batchParsedHereBytesMax : limits.bodyParsedHereBytesMax))
    return null;
  if (typeof form === 'object') {
    const found = form.readEntries(body, form.options);
    return isLong(found.entries) ? null : composeForeign(found, rules);
  }
  const value = parseBody(body);
  if (form !== 'batch' && isObject(value) && (isLong(value.embeds) || isLong(value.attachments))) return null;
  return composeItems(form, value, rules);
}

function isLong(list: unknown): boolean {
  return Array.isArray(list) && list.length > limits.itemsWrittenHereMax;
}

function composeForeign({ entries, translate }: ForeignEntries, { range }: EntryRules): EntryItems {
  // `items` are the entries themselves.
  return { items: entries, ...plainly, mend: entry => translate(entry as object, range) };
}

function composeItems(form: 'batch' | 'chat' | 'attachments', value: unknown, rules: EntryRules): EntryItems {
  if (form === 'batch') return { items: requireItems(value), ...plainly };
  requireTexts(value, complainOfHalfPair);
  const payload = form === 'attachments' ? translateAttachments(value) : value;
  return {
    items: translateChat(payload, rules.range, rules.company),
    parentIsFirst: true,
    mend: null,
    payload,
  };
}

const plainly = { parentIsFirst: false, mend: null, payload: null };

/** Returns the traceId of the first. */
export function writeItems(sink: ItemSink, { items, parentIsFirst, mend }: EntryItems): string {
  const writer = createItemWriter(sink);
  writeItem(writer, mend ? mend(items[0]) : items[0]);
  const traceId = formatTraceId(writer.row);
  for (let index = 1; index < items.length; index++) {
    const item = mend ? mend(items[index]) : items[index];
    writeItem(writer, parentIsFirst ? { ...(item as object), parentId: traceId } : item); // made by a translation: an object
  }
  return traceId;
}

/** What an answer shows of a payload that was read aside: all that it has room for. */
export function showPayload(payload: unknown): unknown {
  if (!isObject(payload)) return null;
  const { content, username, embeds } = payload;
  const shown = { content, username, embeds };
  return JSON.stringify(shown).length <= limits.chatShownCharactersMax ? shown : { embeds: [] };
}

function requireItems(value: unknown): readonly unknown[] {
  if (!Array.isArray(value))
    throw new ServiceError('bad_request', 'The body must be a JSON array of log entries.');
  if (value.length === 0) throw new ServiceError('bad_request', 'The body must hold at least one log entry.');
  if (value.length > entryLimits.batchItemsMax) {
    throw new ServiceError(
      'bad_request',
      `The body may hold at most ${entryLimits.batchItemsMax} log entries; split it.`,
    );
  }
  return value;
}
