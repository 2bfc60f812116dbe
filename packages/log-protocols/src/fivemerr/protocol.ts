/** The logs of Fivemerr, a service for game servers. They come in by OpenTelemetry's path, where their body tells them apart. */
import { readObjects, usualLineNames } from '../lines/reader.ts';
import {
  answerJson,
  defineEntryRoute,
  type OtherProtocol,
  type Protocol,
  writeNothing,
} from '../protocol.ts';

export const fivemerr: Protocol = {
  name: 'fivemerr',
  entryRoutes: [],
  questionRoutes: [],
  read: (body, _options, rules) => ({
    entries: readObjects(body, { ...rules, names: usualLineNames }),
    judgement: null,
  }),
  write: writeNothing,
  // Scripts look for `success`, and show people the sentence under either name.
  refuse: ({ status, code, sentence, index, field }) =>
    answerJson(status, { success: false, message: sentence, error: sentence, code, field, index }),
};

/** Its route is listed as OpenTelemetry's. */
const route = defineEntryRoute<object>({
  id: 'fivemerr_logs',
  path: '/v1/logs',
  summary: "Fivemerr's logs.",
  readOptions: () => ({}),
  answer: () => answerJson(200, { status: 'ok' }),
});

export const fivemerrLogs: OtherProtocol = { protocol: fivemerr, route };
