/** Messages that come as forms: which parts of one are files, and the payload that its fields stand for. */
import { ChatFailure } from './failure.ts';

/** The fields that count. Without the first, people write the others by hand. */
export const chatFieldNames = ['payload_json', 'content', 'username', 'avatar_url'];

/** Parts that are files even where the sender forgot to give them a file name. */
const fileNames = /^(?:(?:files?|attachments?)(?:\[\d*\]|\d*)|image|video|audio)$/;
const mediaTypes = /^(?:image|video|audio)\/|^application\/octet-stream/;

export function isFilePart(field: string, contentType: string): boolean {
  return mediaTypes.test(contentType) || fileNames.test(field);
}

/** The JSON that the fields stand for; files alone are a message, too. */
export function composePayload(sent: ReadonlyMap<string, string>, hasFiles: boolean): Buffer {
  const fields = [...sent].filter(([name]) => chatFieldNames.includes(name));
  if (fields.length === 0 && !hasFiles)
    throw new ChatFailure('bad_request', 'The form needs a field payload_json or content, or a file.');
  return Buffer.from(sent.get('payload_json') ?? JSON.stringify(Object.fromEntries(fields)));
}
