/** Translates messages with a text and attachments, one platform's format, into the other platform's payloads. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { readLayout } from './layouts.ts';

/** Words that may replace a colour such as `#rrggbb`. */
const colourWords: ReadonlyMap<unknown, string> = new Map([
  ['good', '#2eb886'],
  ['warning', '#daa038'],
  ['danger', '#a30200'],
]);

/** Returns other values unchanged, and the payload's reader refuses them. Attachments keep their spelling. */
export function translateMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { text, username, icon_url, attachments, blocks } = message;
  return {
    content: text,
    components: blocks,
    username,
    avatar_url: icon_url,
    embeds: Array.isArray(attachments) ? attachments : [],
  };
}

/** Returns the embed for an attachment. */
export function translateAttachment(attachment: JsonObject): JsonObject {
  const { color, title, title_link, author_name, author_link, author_icon, fields, ts } = attachment;
  const blocks = readLayout(attachment.blocks).text;
  const said = [attachment.pretext, attachment.text, blocks].filter(Boolean);
  return {
    title,
    description: said.length > 0 ? said.join('\n') : title ? undefined : attachment.fallback,
    url: title_link,
    color: colourWords.get(color) ?? color,
    author: { name: author_name, url: author_link, icon_url: author_icon },
    fields: Array.isArray(fields) ? fields.filter(isObject).map(translateField) : [],
    image: { url: attachment.image_url },
    thumbnail: { url: attachment.thumb_url },
    footer: { text: attachment.footer, icon_url: attachment.footer_icon },
    timestamp: readSeconds(ts),
  };
}

function translateField({ title, value, short }: JsonObject): JsonObject {
  return { name: title, value, inline: short };
}

const millisFrom = 1e11; // as seconds this is far in the future, so it is milliseconds

/** Reads Unix seconds, as a number or text, with or without a fraction. Some libraries send milliseconds. */
function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  if (!(seconds > 0)) return undefined;
  return Math.round(seconds >= millisFrom ? seconds : seconds * 1000);
}
