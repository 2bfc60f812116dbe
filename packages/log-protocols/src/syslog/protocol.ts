/** Defines syslog. Messages come to listeners instead of routes; a body is several messages packed by `packMessages`. */
import { type Protocol, unpacksLittle, writeNothing } from '../protocol.ts';
import { requireCount, type SentEntry } from '../reading/sentEntry.ts';
import { unpackMessages } from './frames.ts';
import { readMessage } from './message.ts';

export const syslog: Protocol = {
  name: 'syslog',
  entryRoutes: [],
  questionRoutes: [],
  unpacksLarge: unpacksLittle,
  read(body) {
    const entries: SentEntry[] = [];
    const now = Date.now();
    for (const message of unpackMessages(body)) requireCount(entries.push(readMessage(message, now)));
    let refused = 0;
    // Syslog has no answer that could report a message, so refused ones do not stop the others.
    return { entries, refusals: { refuse: () => void refused++, show: () => refused } };
  },
  write: writeNothing,
  refuse: null,
};
