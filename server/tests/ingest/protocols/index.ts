/** Lists the protocols with separate HTTP paths, for tests; a new one takes a file and a word here. */
import { protocols } from '@tapedeck/log-protocols';
import type { ProtocolRequests } from '../../support/protocolRequests.ts';
import { requests as datadog } from './datadog.ts';
import { requests as elasticsearch } from './elasticsearch.ts';
import { requests as gelf } from './gelf.ts';
import { requests as journald } from './journald.ts';
import { requests as lines } from './lines.ts';
import { requests as loki } from './loki.ts';
import { requests as otlp } from './otlp.ts';
import { requests as sentry } from './sentry.ts';
import { requests as splunk } from './splunk.ts';

const requestsByName: Readonly<Record<string, ProtocolRequests | undefined>> = {
  datadog,
  elasticsearch,
  gelf,
  journald,
  lines,
  loki,
  otlp,
  sentry,
  splunk,
};

export function listProtocolRequests(): ProtocolRequests[] {
  return protocols
    .filter(({ entryRoutes }) => entryRoutes.length > 0)
    .map(({ name }) => {
      const requests = requestsByName[name];
      if (requests === undefined)
        throw new Error(`The protocol ${name} needs a file in server/tests/ingest/protocols.`);
      return requests;
    });
}
