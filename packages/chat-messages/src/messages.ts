/** Turns chat webhook payloads of any platform into log items. Knows nothing of HTTP or storage. */

import {
  addFitted,
  addPresent,
  cutToFit,
  entryLimits,
  FittedMetadata,
  type LogLevel,
  readTimestampMicros,
  type TimeRange,
  toText,
} from '@tapedeck/log-entries';
import { isLonger, isObject, type JsonObject } from '@tapedeck/values/json';
import { translateAttachment, translateMessage } from './attachmentMessages.ts';
import { type Attachment, addAttachments, resolvePointers } from './attachments.ts';
import { readColourLevel } from './colourLevels.ts';
import { ChatFailure } from './failure.ts';
import { readLayout } from './layouts.ts';

/** A message as an item of a batch. */
export type ChatItem = {
  level: LogLevel;
  message: string;
  resource: string;
  metadata: Record<string, string>;
  timestamp?: unknown;
};

export type ChatOptions = {
  /** Content and embeds, or text and attachments: the formats of two platforms. */
  form: 'embeds' | 'attachments';
  /** The level of all items; null: by colour. */
  level: LogLevel | null;
  attachments: readonly Attachment[];
};

/** The source of one item: a text, or an embed in the payload's format. */
export type ChatEntry = { text: string; color?: unknown } | { embed: JsonObject };

type ChatMessage = {
  /** The first entry is the content, otherwise the first embed, otherwise the files alone. The others become its children. */
  entries: readonly ChatEntry[];
  /** Turns an entry into an item, which may take far more memory and time than the entry. */
  translate(entry: ChatEntry): ChatItem;
  /** The message as its sender sees it; null: too large for a response. */
  shown: object | null;
};

type ChatRules = {
  range: TimeRange;
  /** For payloads with another embed format. */
  translateEmbed?: (embed: JsonObject) => JsonObject;
};

/** Embeds with a time out of range get the time of receipt. */
export function readChatMessage(payload: unknown, options: ChatOptions, range: TimeRange): ChatMessage {
  if (options.form === 'embeds') return readPayload(payload, options, { range });
  const message = readPayload(translateMessage(payload), options, {
    range,
    translateEmbed: translateAttachment,
  });
  return { ...message, shown: null };
}

function readPayload(payload: unknown, options: ChatOptions, rules: ChatRules): ChatMessage {
  if (!isObject(payload))
    throw new ChatFailure('bad_request', 'The body must be a JSON object, a webhook payload.');
  const { attachments } = options;
  const { content, username } = payload;
  const embeds = readEmbeds(payload.embeds);
  const layout = readLayout(payload.components);
  const text = joinTexts(toText(content), layout.text);
  const entries: ChatEntry[] = embeds.map(embed => ({ embed }));
  requireEntries(entries.length, text !== '' || attachments.length > 0);
  if (text !== '') entries.unshift({ text, color: layout.color });
  if (entries.length === 0) entries.push({ text: attachments.map(({ filename }) => filename).join(', ') });
  const sender = readSender(payload);
  const translate = (entry: ChatEntry): ChatItem => {
    const body = readEntry(entry, rules);
    if (attachments.length > 0) resolvePointers(body.leaves, attachments);
    return createItem(sender, body, { ...options, attachments: entry === entries[0] ? attachments : [] });
  };
  return { entries, translate, shown: limitShown({ content, username, embeds }) };
}

/** Joins content and layout. The content may repeat the layout in short, as a fallback. */
function joinTexts(content: string, layout: string): string {
  if (layout.includes(content)) return layout;
  return layout === '' ? content : `${content}\n${layout}`;
}

const shownCharactersMax = 64 * 1024; // in the response to `?wait=true`: ten times the limit of chat platforms

/** Returns the object, or null if it is too large for a response. */
function limitShown(shown: object): object | null {
  return JSON.stringify(shown).length <= shownCharactersMax ? shown : null;
}

function requireEntries(embeds: number, isMore: boolean): void {
  if (embeds === 0 && !isMore)
    throw new ChatFailure('invalid_field', 'At least one of content and embeds must not be empty.');
  if (embeds < entryLimits.batchItemsMax) return;
  throw new ChatFailure('invalid_field', `embeds may hold fewer than ${entryLimits.batchItemsMax} embeds.`, {
    field: 'embeds',
  });
}

function readEntry(entry: ChatEntry, { range, translateEmbed }: ChatRules): ItemBody {
  if ('text' in entry)
    return { level: readColourLevel(entry.color), message: entry.text, leaves: new FittedMetadata() };
  return readEmbed(translateEmbed?.(entry.embed) ?? entry.embed, range);
}

/** The sender as texts, added to each of the payload's items. */
type Sender = { resource: string; leaves: FittedMetadata };

function readSender(payload: JsonObject): Sender {
  const leaves = new FittedMetadata();
  for (const name of ['username', 'avatar_url']) addSaid(leaves, `chat.${name}`, toText(payload[name]));
  return { resource: toText(payload.username) || 'chat', leaves };
}

type ItemBody = { level: LogLevel; message: string; leaves: FittedMetadata; timestamp?: unknown };

function readEmbed(embed: JsonObject, range: TimeRange): ItemBody {
  const message = [toText(embed.title), toText(embed.description)].filter(text => text !== '').join('\n');
  const body = { level: readColourLevel(embed.color), message, leaves: readLeaves(embed) };
  const micros = readTimestampMicros(embed.timestamp);
  const isAccepted = micros !== null && micros >= range.fromMicros && micros <= range.toMicros;
  return isAccepted ? { ...body, timestamp: embed.timestamp } : body;
}

function createItem(sender: Sender, body: ItemBody, { level, attachments }: ChatOptions): ChatItem {
  const { leaves, message, ...rest } = body;
  // Sender and files come first, so that they fit however many fields an embed has.
  const metadata = FittedMetadata.copyOf(sender.leaves);
  addAttachments(metadata, attachments);
  metadata.addAll(leaves);
  const { parentId: _none, ...fitting } = cutToFit({ message, resource: sender.resource }, metadata);
  return { ...rest, level: level ?? body.level, ...fitting };
}

const fieldsMax = entryLimits.metadataLeavesMax; // with different names

/** Returns the metadata of an embed: leaves such as `embed.author.name`, and `field.<name>` for each field. */
function readLeaves(embed: JsonObject): FittedMetadata {
  const leaves = new FittedMetadata();
  for (const [name, value] of Object.entries(embed)) {
    if (!['title', 'description', 'timestamp', 'fields'].includes(name))
      addSaid(leaves, `embed.${name}`, value);
  }
  addFields(leaves, embed);
  return leaves;
}

/** Joins fields of the same name as lines of one text. Lines beyond the limit are only counted. */
function addFields(leaves: FittedMetadata, embed: JsonObject): void {
  const gathered = new Map<string, { lines: string[]; bytes: number }>();
  for (const field of readList(embed.fields)) {
    if (!isObject(field)) continue;
    const path = `field.${toText(field.name)}`;
    const known = gathered.get(path);
    if (isLonger(path, entryLimits.metadataKeyBytesMax) || (!known && gathered.size >= fieldsMax)) {
      leaves.leftOut++;
      continue;
    }
    const line = toText(field.value);
    const { lines, bytes } = known ?? { lines: [], bytes: -1 };
    if (bytes <= entryLimits.metadataValueBytesMax) lines.push(line);
    gathered.set(path, { lines, bytes: bytes + Buffer.byteLength(line) + 1 });
  }
  for (const [path, { lines, bytes }] of gathered) {
    addFitted(leaves, path, lines.join('\n'));
    if (leaves.cutBytes.has(path)) leaves.cutBytes.set(path, bytes);
  }
}

function addSaid(metadata: FittedMetadata, path: string, value: unknown): void {
  if (value !== undefined && value !== '') addPresent(metadata, path, value);
}

/** Some senders send a single embed without a list. */
/** Accepts an embed without a list. An empty object is an empty list, because some languages cannot tell them apart. */
function readEmbeds(value: unknown): JsonObject[] {
  if (!isObject(value)) return readList(value).filter(isObject);
  return Object.keys(value).length > 0 ? [value] : [];
}

function readList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
