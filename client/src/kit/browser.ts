/** The kit's platform code for browsers. */
import { unreadableError } from './files/content.ts';
import type { Platform } from './platform.ts';
import { attempt } from './retries.ts';
import { TapedeckCore, type TapedeckOptions } from './tapedeck.ts';

const browser: Platform = {
  async openPath() {
    throw unreadableError('A page cannot open paths; upload a File, a Blob or a stream.');
  },
  openSpool() {
    throw unreadableError('A page has no folder for a spool; leave out `spool`.');
  },
  post({ url, headers, body, timeoutMs, isLast = false }) {
    return attempt(url, { method: 'POST', headers, body, keepalive: isLast }, timeoutMs);
  },
  onExit({ sendLast }) {
    // Workers are event targets too, but fire no `pagehide`.
    const page: EventTarget = globalThis as unknown as EventTarget; // as in every browser
    page.addEventListener('pagehide', sendLast);
    return () => page.removeEventListener('pagehide', sendLast);
  },
};

export class Tapedeck extends TapedeckCore {
  constructor(options: TapedeckOptions) {
    super(options, browser);
  }
}

export * from './publicExports.ts';
