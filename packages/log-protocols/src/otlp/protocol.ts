/** Defines OpenTelemetry's protocol for logs. Its clients retry only after 429, 502, 503 and 504. */
import { fivemerrLogs } from '../fivemerr/protocol.ts';
import {
  defineEntryRoute,
  isProtobuf,
  jsonType,
  type OtherProtocol,
  type Protocol,
  type ProtocolRequest,
  unpacksLittle,
} from '../protocol.ts';
import { writeOtlpJson } from './directJson.ts';
import {
  type OtlpEncoding,
  type OtlpRefusal,
  readOtlp,
  writeOtlpError,
  writeOtlpResponse,
} from './reader.ts';

type OtlpOptions = { encoding: OtlpEncoding };

const contentTypes: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: jsonType,
};
const sentencesMax = 10; // a hundred thousand entries may fail for the same reason

/** gRPC status codes. */
const statusCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  413: 3,
  415: 3,
  429: 8,
  503: 14,
};
const unknownCode = 2;

export const otlp: Protocol<OtlpOptions> = {
  name: 'otlp',
  entryRoutes: [
    describeRoute('otlp_logs', '/v1/logs', (request, body) =>
      encodingOf(request) === 'json' && !holdsResourceLogs(body) ? fivemerrLogs : null,
    ),
    // The collector's prefix rules out other protocols.
    describeRoute('otlp_logs_prefixed', '/otlp/v1/logs', () => null),
  ],
  questionRoutes: [],
  unpacksLarge: unpacksLittle,
  read(body, { encoding }, rules) {
    const sentences: string[] = [];
    return {
      entries: readOtlp(body, encoding, rules),
      refusals: {
        refuse: (_, { message }) => void sentences.push(message),
        show: () => describe(sentences),
      },
    };
  },
  write(task, body, { levels, options }) {
    const traceId = options.encoding === 'json' ? writeOtlpJson(task, body, { levels }) : null;
    return traceId === null ? null : { traceId, shown: null };
  },
  refuse({ status: given, sentence: message }, request) {
    const encoding = encodingOf(request);
    // The request may succeed later. Clients retry after 503.
    const status = given >= 500 ? 503 : given;
    const body = writeOtlpError(encoding, { code: statusCodes[status] ?? unknownCode, message });
    return { status, type: contentTypes[encoding], body };
  },
};

function describeRoute(
  id: string,
  path: string,
  findOther: (request: ProtocolRequest, body: Buffer) => OtherProtocol | null,
) {
  return defineEntryRoute<OtlpOptions>({
    id,
    path,
    summary: "OpenTelemetry's logs, as JSON or protobuf.",
    findOther,
    readOptions: request => ({ encoding: encodingOf(request) }),
    answer({ request, shown }) {
      const encoding = encodingOf(request);
      const body = writeOtlpResponse(encoding, shown as OtlpRefusal); // `read` returns this form
      return { status: 200, type: contentTypes[encoding], body };
    },
  });
}

function encodingOf(request: Pick<ProtocolRequest, 'headers'>): OtlpEncoding {
  return isProtobuf(request) ? 'protobuf' : 'json';
}

function describe(sentences: readonly string[]): OtlpRefusal {
  if (sentences.length === 0) return null;
  return { count: sentences.length, sentence: sentences.slice(0, sentencesMax).join(' ') };
}

/** Checks for the only field that a request has. Empty bodies and invalid JSON get OpenTelemetry's errors. */
function holdsResourceLogs(body: Buffer): boolean {
  if (resourceLogs.some(name => body.includes(name))) return true;
  const head = body.toString('latin1', 0, headBytes).trim();
  return !/^(?:\{\s*"|\[\s*[^\s\]])/.test(head);
}

const resourceLogs = ['"resourceLogs"', '"resource_logs"'];
const headBytes = 64; // blanks and the first characters
