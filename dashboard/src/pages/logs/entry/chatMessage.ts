/** Rebuilds a chat message from its entry's metadata (`chat.*`, `embed.*`, `field.*`, `attachments.*`). */
import type { LogEntry } from '../../../queries/logs.ts';

type Named = { name: string; url: string | null; icon: string | null };
export type ChatAttachment = {
  filename: string;
  url: string | null;
  mimeType: string;
  /** Why the service did not store it. */
  refusal: string | null;
};
export type ChatMessage = {
  sender: Named;
  /** null for a message of text alone. */
  embed: {
    /** The bar's colour, such as `#e67e22`. */
    colour: string | null;
    author: Named | null;
    title: string | null;
    url: string | null;
    fields: readonly { name: string; value: string }[];
    image: string | null;
    thumbnail: string | null;
    footer: Named | null;
  } | null;
  /** The text below the title. */
  text: string;
  attachments: readonly ChatAttachment[];
};

const titleCharactersMax = 256; // the chats' own limit

/** Returns null for other entries. */
export function readChatMessage({ body, resource, metadata }: LogEntry): ChatMessage | null {
  const read = (path: string) => metadata[path] || null;
  const attachments = readAttachments(metadata);
  const isEmbed = Object.keys(metadata).some(path => /^embed\.(?!\d)/.test(path));
  const isChat = isEmbed || read('chat.username') !== null || attachments.length > 0;
  if (!isChat) return null;
  const sender = { name: read('chat.username') ?? resource, url: null, icon: read('chat.avatar_url') };
  if (!isEmbed) return { sender, embed: null, text: body, attachments };
  const fields = Object.entries(metadata).flatMap(([path, value]) =>
    path.startsWith('field.') ? [{ name: path.slice('field.'.length), value }] : [],
  );
  const { title, text } = splitTitle(body, fields.length > 0 || read('embed.url') !== null);
  const named = (part: string, words: string) => readNamed(metadata, part, words);
  return {
    sender,
    embed: {
      title,
      fields,
      colour: readColour(read('embed.color')),
      url: readAddress(read('embed.url')),
      author: named('embed.author', 'name'),
      footer: named('embed.footer', 'text'),
      image: readAddress(read('embed.image.url')),
      thumbnail: readAddress(read('embed.thumbnail.url')),
    },
    text,
    attachments,
  };
}

/** Splits off the title, the first line. A single line is a title only if something else follows below it. */
function splitTitle(body: string, hasMore: boolean): { title: string | null; text: string } {
  const end = body.indexOf('\n');
  const first = end < 0 ? body : body.slice(0, end);
  const isTitle = first !== '' && first.length <= titleCharactersMax && (end >= 0 || hasMore);
  return isTitle ? { title: first, text: end < 0 ? '' : body.slice(end + 1) } : { title: null, text: body };
}

function readNamed(metadata: LogEntry['metadata'], part: string, words: string): Named | null {
  const name = metadata[`${part}.${words}`];
  if (!name) return null;
  const [url, icon] = ['url', 'icon_url'].map(key => readAddress(metadata[`${part}.${key}`] ?? null));
  return { name, url: url ?? null, icon: icon ?? null };
}

function readAttachments(metadata: LogEntry['metadata']): ChatAttachment[] {
  const found: ChatAttachment[] = [];
  for (let index = 0; ; index++) {
    const read = (name: string) => metadata[`attachments.${index}.${name}`];
    const filename = read('filename');
    if (filename === undefined) return found;
    found.push({
      filename,
      url: readAddress(read('url') ?? null),
      mimeType: read('content_type') ?? '',
      refusal: read('refused') ?? null,
    });
  }
}

/** Accepts only web addresses. */
function readAddress(text: string | null): string | null {
  const address = text === null ? null : URL.parse(text);
  return address !== null && /^https?:$/.test(address.protocol) ? address.href : null;
}

/** Reads a number, or text such as `16711680`, `#ff0000` or `0xff0000`. */
function readColour(text: string | null): string | null {
  const hexadecimal = /^(?:#|0x)([\da-f]{6})$/i.exec(text ?? '')?.[1];
  if (hexadecimal !== undefined) return `#${hexadecimal.toLowerCase()}`;
  return /^\d{1,8}$/.test(text ?? '') ? `#${(Number(text) & 0xffffff).toString(16).padStart(6, '0')}` : null;
}
