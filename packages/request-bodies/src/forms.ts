/** The request and the limits that both readers of forms share. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

export const partHeaderBytesMax = 16 * 1024; // as much as Node.js takes for all headers of a request
export const formFieldsMax = 64; // readers of forms know a handful; the rest is ignored, within reason
export const formPartsMax = 128; // fields and files

export type FormRequest = { headers: IncomingHttpHeaders; body: Readable };
