/** Composes responses for clients that wait for a message, in the form that the platform's libraries expect. */
import { toText } from '@tapedeck/log-entries';
import type { KeptAttachment } from './attachments.ts';

/** A stored file, described as the platform does. */
type WrittenAttachment = {
  id: string;
  filename: string;
  size: number;
  content_type: string;
  url: string;
  proxy_url: string;
  width?: number;
  height?: number;
};

export function writeAttachment(attachment: KeptAttachment): WrittenAttachment {
  const { id, filename, sizeBytes, mimeType, url, width, height } = attachment;
  return {
    id,
    filename,
    size: sizeBytes,
    content_type: mimeType,
    url,
    proxy_url: url,
    ...(width !== null && { width }),
    ...(height !== null && { height }),
  };
}

export type ShownMessage = {
  /** The part of the reader's result to return. */
  shown: unknown;
  /** The traceId of its first entry. */
  traceId: string;
  /** null if the message had none. */
  attachments: readonly KeptAttachment[] | null;
};

/** The channel of the message, for the response. */
type MessagePlace = {
  webhook: string /** used if the message has no sender's name */;
  usualName: string;
};

/** Writes the message that a webhook stored, with all fields that libraries require. */
export function writeMessage(
  { shown, traceId, attachments }: ShownMessage,
  { webhook, usualName }: MessagePlace,
) {
  // `readChatMessage` returns these fields.
  const { content, embeds, username } = (shown ?? {}) as Partial<Record<string, unknown>>;
  return {
    id: makeMessageId(traceId),
    type: 0,
    content: toText(content),
    embeds: Array.isArray(embeds) ? embeds : [],
    channel_id: webhook,
    webhook_id: webhook,
    // Uses an offset, as the platform does, because older parsers do not accept Z.
    timestamp: new Date(readMillis(traceId)).toISOString().replace('Z', '+00:00'),
    edited_timestamp: null,
    author: { id: webhook, username: toText(username) || usualName, avatar: null, bot: true },
    attachments: (attachments ?? []).map(writeAttachment),
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    pinned: false,
    tts: false,
    flags: 0,
  };
}

const platformEpochMs = 1_420_070_400_000; // 2015-01-01: the epoch of the platform's ids
const idBitsBelowTime = 22n;

/** Makes an id in the platform's form: libraries read it as a 64-bit number and take the time from it. */
function makeMessageId(traceId: string): string {
  const millis = BigInt(Math.max(0, readMillis(traceId) - platformEpochMs));
  const below = BigInt(`0x${traceId.slice(-8)}`) & ((1n << idBitsBelowTime) - 1n);
  return String((millis << idBitsBelowTime) | below);
}

/** Reads the first 48 bits of a traceId. */
function readMillis(traceId: string): number {
  return Number.parseInt(traceId.slice(0, 12), 16);
}
