/** RFC 9112, 3.2: a request of HTTP/1.1 names exactly one host. */
import type { IncomingMessage } from 'node:http';

/** Read from the raw headers: those that Node.js tells apart are made anew for each request. */
export function namesOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1;
}
