/** The request and the limits that both form readers share. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

export const partHeaderBytesMax = 16 * 1024; // Node.js's limit for all headers of a request
export const formFieldsMax = 64; // form readers know a handful; others are ignored, within reason
export const formPartsMax = 128; // fields and files

export type FormRequest = { headers: IncomingHttpHeaders; body: Readable };
