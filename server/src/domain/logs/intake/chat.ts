/** Chat webhook payloads become log items here (CONTRACT.md, 4.3). Knows nothing of HTTP or storage. */

import { cutText, isLonger, isObject, type JsonObject } from '@tapedeck/json-values';
import { entryLimits, readTimestampMicros, type TimeRange } from '@tapedeck/log-entries';
import { type LogLevel, ServiceError } from '../../../vocabulary.ts';
import { type Attachment, addAttachments, resolvePointers } from './attachments.ts';
import { addMended, addPresent, type MendedMetadata, toText } from './mending.ts';

/** As an item of a batch. */
export type ChatItem = {
  level: LogLevel;
  message: string;
  resource: string;
  metadata: Record<string, string>;
  timestamp?: unknown;
};

/** What comes with a payload, beside it. */
export type ChatCompany = {
  /** Of all items, whatever their colours; null: by the colours. */
  level: LogLevel | null;
  attachments: readonly Attachment[];
};

const alone: ChatCompany = { level: null, attachments: [] };

/**
 * The first item stands for the content, or for the first embed when there is none, or for the files alone; the others hang
 * below it.
 */
export function translateChat(payload: unknown, range: TimeRange, company = alone): ChatItem[] {
  const { attachments, level } = company;
  if (!isObject(payload))
    throw new ServiceError('bad_request', 'The body must be a JSON object, a webhook payload.');
  const content = toText(payload.content);
  const embeds = readEmbeds(payload.embeds);
  if (content === '' && embeds.length === 0 && attachments.length === 0) {
    throw new ServiceError('invalid_field', 'At least one of content and embeds must not be empty.');
  }
  if (embeds.length >= entryLimits.batchItemsMax) {
    throw new ServiceError(
      'invalid_field',
      `embeds may hold fewer than ${entryLimits.batchItemsMax} embeds.`,
      {
        field: 'embeds',
      },
    );
  }
  const sender = readSender(payload);
  const bodies = embeds.map(embed => readEmbed(embed, range));
  if (content !== '') bodies.unshift(makeBody(content));
  if (bodies.length === 0) bodies.push(makeBody(attachments.map(({ filename }) => filename).join(', ')));
  return bodies.map((body, index) => {
    if (attachments.length > 0) resolvePointers(body.leaves, attachments);
    return createItem(sender, body, { level, attachments: index === 0 ? attachments : [] });
  });
}

/** What the payload says of its sender, as texts; it stands on each of its items. */
type Sender = { resource: string; leaves: MendedMetadata };

function readSender(payload: JsonObject): Sender {
  const leaves: MendedMetadata = new Map();
  for (const name of ['username', 'avatar_url']) addSaid(leaves, `chat.${name}`, toText(payload[name]));
  return { resource: cutText(toText(payload.username), entryLimits.nameBytesMax) || 'chat', leaves };
}

type ItemBody = { level: LogLevel; message: string; leaves: MendedMetadata; timestamp?: unknown };

function makeBody(message: string): ItemBody {
  return { level: 'info', message, leaves: new Map() };
}

function readEmbed(embed: JsonObject, range: TimeRange): ItemBody {
  const message = [toText(embed.title), toText(embed.description)].filter(text => text !== '').join('\n');
  const body = { level: readColourLevel(embed.color), message, leaves: readLeaves(embed) };
  const micros = readTimestampMicros(embed.timestamp);
  const isTaken = micros !== null && micros >= range.fromMicros && micros <= range.toMicros;
  return isTaken ? { ...body, timestamp: embed.timestamp } : body;
}

function createItem(sender: Sender, body: ItemBody, { level, attachments }: ChatCompany): ChatItem {
  const { leaves, message, ...rest } = body;
  // Those of sender and files first: they stand there, however many fields an embed has.
  const metadata: MendedMetadata = new Map(sender.leaves);
  addAttachments(metadata, attachments);
  for (const [path, value] of leaves) addMended(metadata, path, value);
  return {
    ...rest,
    level: level ?? body.level,
    message: cutText(message, entryLimits.messageBytesMax),
    resource: sender.resource,
    metadata: Object.fromEntries(metadata),
  };
}

/** The metadata of an embed: leaves such as `embed.author.name`, and `field.<name>` for each of its fields. */
function readLeaves(embed: JsonObject): MendedMetadata {
  const leaves: MendedMetadata = new Map();
  for (const [name, value] of Object.entries(embed)) {
    if (!['title', 'description', 'timestamp', 'fields'].includes(name))
      addSaid(leaves, `embed.${name}`, value);
  }
  for (const [path, lines] of gatherFields(embed)) addMended(leaves, path, lines.join('\n'));
  return leaves;
}

/** Fields of one name are several lines of one text to those who see the message. Lines that would be cut off are left out. */
function gatherFields(embed: JsonObject): Map<string, string[]> {
  const gathered = new Map<string, string[]>();
  const lengths = new Map<string, number>();
  for (const field of readList(embed.fields)) {
    if (!isObject(field)) continue;
    const path = `field.${toText(field.name)}`;
    if (isLonger(path, entryLimits.metadataKeyBytesMax)) continue;
    const lines = gathered.get(path);
    const length = lengths.get(path) ?? 0;
    if (length > entryLimits.metadataValueBytesMax) continue;
    if (lines === undefined && gathered.size >= entryLimits.metadataLeavesMax) continue;
    const line = toText(field.value);
    if (lines === undefined) gathered.set(path, [line]);
    else lines.push(line);
    lengths.set(path, length + line.length + 1);
  }
  return gathered;
}

function addSaid(metadata: MendedMetadata, path: string, value: unknown): void {
  if (value !== undefined && value !== '') addPresent(metadata, path, value);
}

/** Senders leave the list out where there is a single embed. */
function readEmbeds(value: unknown): JsonObject[] {
  return isObject(value) ? [value] : readList(value).filter(isObject);
}

function readList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const hues = { orangeFrom: 15, yellowTo: 70, redFrom: 345 }; // degrees on the colour wheel, as people name them
const saturationMin = 0.3; // greys and pastels say nothing
const brightnessMin = 0.25; // nor do colours close to black

/** What senders give to messages without a colour of their own, though it is a red: crimson, in the logs of two game frameworks. */
const silentColours: ReadonlySet<number> = new Set([14423100]);

/** Red means `error`, orange and yellow mean `warn`. */
function readColourLevel(value: unknown): LogLevel {
  const colour = readColour(value);
  if (colour === null || silentColours.has(colour)) return 'info';
  const [red, green, blue] = [(colour >> 16) & 0xff, (colour >> 8) & 0xff, colour & 0xff];
  const brightest = Math.max(red, green, blue);
  const spread = brightest - Math.min(red, green, blue);
  if (brightest < brightnessMin * 255 || spread < saturationMin * brightest) return 'info';
  const hue = measureHue({ red, green, blue }, spread);
  if (hue >= hues.redFrom || hue < hues.orangeFrom) return 'error';
  return hue <= hues.yellowTo ? 'warn' : 'info';
}

function measureHue(
  { red, green, blue }: { red: number; green: number; blue: number },
  spread: number,
): number {
  if (red >= green && red >= blue) return (60 * ((green - blue) / spread) + 360) % 360;
  if (green >= blue) return 60 * ((blue - red) / spread) + 120;
  return 60 * ((red - green) / spread) + 240;
}

/** A number, or as text `16711680`, `#ff0000` or `0xff0000`. */
function readColour(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value & 0xffffff : null;
  if (typeof value !== 'string') return null;
  const hexadecimal = /^(?:#|0x)([0-9a-f]{6})$/i.exec(value.trim())?.[1];
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  return /^\d{1,8}$/.test(value.trim()) ? Number(value) & 0xffffff : null;
}
