/** Reads messages sent as forms: finds the files among the parts, and composes the payload from the fields. */
import { ChatFailure } from './failure.ts';

/** Fields that hold a whole payload as JSON, under the names of two platforms. */
const payloadNames = ['payload_json', 'payload'];
/** The known fields. Without a payload, users write the others by hand. */
export const chatFieldNames = [...payloadNames, 'content', 'text', 'username', 'avatar_url', 'icon_url'];

/** Parts that are files even without a file name. */
const fileNames = /^(?:(?:files?|attachments?)(?:\[\d*\]|\d*)|image|video|audio)$/;
const mediaTypes = /^(?:image|video|audio)\/|^application\/octet-stream/;

export function isFilePart(field: string, contentType: string): boolean {
  return mediaTypes.test(contentType) || fileNames.test(field);
}

/** Composes the message from the form fields. Files alone are a message, too. */
export function composePayload(sent: ReadonlyMap<string, string>, hasFiles: boolean): Buffer {
  const fields = [...sent].filter(([name]) => chatFieldNames.includes(name));
  if (fields.length === 0 && !hasFiles)
    throw new ChatFailure('bad_request', 'The form needs a field payload_json or content, or a file.');
  const payload = payloadNames.map(name => sent.get(name)).find(text => text !== undefined);
  return Buffer.from(payload ?? JSON.stringify(Object.fromEntries(fields)));
}
