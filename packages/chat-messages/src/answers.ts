/** Composes responses for clients that wait for a message, as the platform does and its libraries expect. */
import { toText } from '@tapedeck/log-entries';
import type { KeptAttachment } from './attachments.ts';

/** A kept file, as the platform describes one. */
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
    ...{ id, filename, size: sizeBytes, content_type: mimeType, url, proxy_url: url },
    ...(width !== null && { width }),
    ...(height !== null && { height }),
  };
}

export type ShownMessage = {
  /** The part of the reader's result to show. */
  shown: unknown;
  /** The traceId of its first entry. */
  traceId: string;
  /** null where none came. */
  attachments: readonly KeptAttachment[] | null;
};

/** The channel of the message, for the response. */
type MessagePlace = {
  webhook: string /** The sender's name if the message has none. */;
  usualName: string;
};

/** The message that a webhook stored, with all that libraries ask for. */
export function writeMessage(
  { shown, traceId, attachments }: ShownMessage,
  { webhook, usualName }: MessagePlace,
) {
  // Reading a message shows these of it.
  const { content, embeds, username } = (shown ?? {}) as Partial<Record<string, unknown>>;
  return {
    id: makeMessageId(traceId),
    type: 0,
    content: toText(content),
    embeds: Array.isArray(embeds) ? embeds : embeds ? [embeds] : [],
    channel_id: webhook,
    webhook_id: webhook,
    // Spelled with an offset, as the platform does: older parsers know no Z.
    timestamp: new Date(readMillis(traceId)).toISOString().replace('Z', '+00:00'),
    edited_timestamp: null,
    author: { id: webhook, username: toText(username) || usualName, avatar: null, bot: true },
    attachments: (attachments ?? []).map(writeAttachment),
    ...{ mentions: [], mention_roles: [] },
    ...{ mention_everyone: false, pinned: false, tts: false },
    flags: 0,
  };
}

const platformEpochMs = 1_420_070_400_000; // 2015-01-01: from there the platform counts in its ids
const idBitsBelowTime = 22n;

/** An id of the form that the platform uses: libraries read it as a 64-bit number, and read the time from it. */
function makeMessageId(traceId: string): string {
  const millis = BigInt(Math.max(0, readMillis(traceId) - platformEpochMs));
  const below = BigInt(`0x${traceId.slice(-8)}`) & ((1n << idBitsBelowTime) - 1n);
  return String((millis << idBitsBelowTime) | below);
}

/** The first 48 bits of a traceId. */
function readMillis(traceId: string): number {
  return Number.parseInt(traceId.slice(0, 12), 16);
}
