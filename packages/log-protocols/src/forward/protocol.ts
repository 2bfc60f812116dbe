/** Fluentd's forward protocol. Its messages come to a listener instead of routes; a body is the events of one message. */
import { type Protocol, writeNothing } from '../protocol.ts';
import { type ForwardOptions, readEvents } from './events.ts';

export const forward: Protocol<ForwardOptions> = {
  name: 'forward',
  entryRoutes: [],
  questionRoutes: [],
  read(body, options, rules) {
    let refused = 0;
    // An acknowledgement is for the whole message, and a sender repeats what it is not given one for: the other events are stored.
    const judgement = { refuse: () => void refused++, show: () => refused };
    return { entries: readEvents(body, options, rules), judgement };
  },
  write: writeNothing,
  refuse: null,
};
