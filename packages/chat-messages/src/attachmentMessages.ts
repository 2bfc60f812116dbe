/** Translates messages with a text and attachments, as one chat platform writes them, into payloads of the other. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { readLayout } from './layouts.ts';

/** Words that may stand for a colour instead of `#rrggbb`. */
const colourWords: ReadonlyMap<unknown, string> = new Map([
  ['good', '#2eb886'],
  ['warning', '#daa038'],
  ['danger', '#a30200'],
]);

/** Returns a value that is no message as it is; the reader of the payload refuses it. Attachments stay as they are spelled. */
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

/** Returns the embed that an attachment stands for. */
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

const millisFrom = 1e11; // as seconds this is far in the future; so it is milliseconds

/** Unix seconds, as a number or as text, with or without a fraction; libraries that send milliseconds mean them. */
function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  if (!(seconds > 0)) return undefined;
  return Math.round(seconds >= millisFrom ? seconds : seconds * 1000);
}
