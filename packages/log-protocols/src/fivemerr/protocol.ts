/** Defines the logs of Fivemerr, a service for game servers. They share OpenTelemetry's path; the body tells them apart. */
import { readObjects, usualLineNames } from '../lines/reader.ts';
import {
  answerJson,
  defineEntryRoute,
  type OtherProtocol,
  type Protocol,
  unpacksLittle,
  writeNothing,
} from '../protocol.ts';

export const fivemerr: Protocol = {
  name: 'fivemerr',
  entryRoutes: [],
  questionRoutes: [],
  unpacksLarge: unpacksLittle,
  read: (body, _options, rules) => ({
    entries: readObjects(body, { ...rules, names: usualLineNames }),
    refusals: null,
  }),
  write: writeNothing,
  // Scripts check `success` and show users the sentence from either field.
  refuse: ({ status, code, sentence, index, field }) =>
    answerJson(status, { success: false, message: sentence, error: sentence, code, field, index }),
};

/** OpenTelemetry lists the route. */
const route = defineEntryRoute<object>({
  id: 'fivemerr_logs',
  path: '/v1/logs',
  summary: "Fivemerr's logs.",
  readOptions: () => ({}),
  answer: () => answerJson(200, { status: 'ok' }),
});

export const fivemerrLogs: OtherProtocol = { protocol: fivemerr, route };
