/** Reads headers that describe a body. */
import type { IncomingHttpHeaders } from 'node:http';

/** Whether a body was announced, be it empty. */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** In lower case, without parameters; `''` where nothing is declared. */
export function readContentType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
