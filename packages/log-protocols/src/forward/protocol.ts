/** Defines Fluentd's forward protocol. Messages come to a listener instead of routes; a body is the events of one message. */
import { type Protocol, unpacksLittle, writeNothing } from '../protocol.ts';
import { type ForwardOptions, readEvents } from './events.ts';

export const forward: Protocol<ForwardOptions> = {
  name: 'forward',
  entryRoutes: [],
  questionRoutes: [],
  unpacksLarge: unpacksLittle,
  read(body, options, rules) {
    let refused = 0;
    // A sender repeats a whole message until it is acknowledged. So one bad event does not stop the others from being stored.
    const refusals = { refuse: () => void refused++, show: () => refused };
    return { entries: readEvents(body, options, rules), refusals };
  },
  write: writeNothing,
  refuse: null,
};
