/** Defines the protocol of Datadog's agents and libraries. */
import { STATUS_CODES } from 'node:http';
import {
  answerJson,
  defineEntryRoute,
  type Protocol,
  type ProtocolRequest,
  readTexts,
  unpacksLittle,
} from '../protocol.ts';
import { writeDatadog } from './direct.ts';
import { type DatadogOptions as ReaderOptions, readDatadog } from './reader.ts';

type DatadogOptions = Pick<ReaderOptions, 'isJson' | 'defaults'>;

const defaultNames = ['ddsource', 'ddtags', 'service', 'hostname', 'status'];
const validationPath = '/api/v1/validate';

export const datadog: Protocol<DatadogOptions> = {
  name: 'datadog',
  entryRoutes: [
    describeRoute('datadog_logs', '/api/v2/logs'),
    describeRoute('datadog_input', '/v1/input'),
    { ...describeRoute('datadog_input_key', '/v1/input/{token}'), isTokenInPath: true },
  ],
  questionRoutes: [
    {
      id: 'datadog_validate',
      method: 'GET',
      path: validationPath,
      summary: 'Whether a key is good.',
      needsToken: true,
      answer: () => answerJson(200, { valid: true }),
    },
  ],
  unpacksLarge: unpacksLittle,
  read: (body, options, rules) => ({ entries: readDatadog(body, { ...rules, ...options }), refusals: null }),
  write(task, body, { levels, options }) {
    const traceId = writeDatadog(task, body, { levels, ...options });
    return traceId === null ? null : { traceId, shown: null };
  },
  refuse({ status: given, sentence }, { path }) {
    // Agents recognise an invalid key only by this status.
    const status = given === 401 && path === validationPath ? 403 : given;
    return answerJson(status, {
      errors: [{ status: String(given), title: STATUS_CODES[given], detail: sentence }],
    });
  },
};

function describeRoute(id: string, path: string) {
  return defineEntryRoute<DatadogOptions>({
    id,
    path,
    summary: "Datadog's logs.",
    readOptions: request => ({ isJson: !isText(request), defaults: readTexts(request, defaultNames) }),
    answer: () => answerJson(202, {}),
  });
}

function isText({ headers }: ProtocolRequest): boolean {
  return /^\s*text\//i.test(headers['content-type'] ?? '');
}
