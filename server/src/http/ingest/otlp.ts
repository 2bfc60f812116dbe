/**
 * The door of OpenTelemetry, whose clients send again after 429, 502, 503 and 504 alone. Where a service for game servers has
 * the same path for its logs, the body tells which of the two is meant.
 */
import {
  type OtlpEncoding,
  type OtlpRefusal,
  writeOtlpError,
  writeOtlpResponse,
} from '@tapedeck/log-protocols';
import type { DecodedBody } from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import { format } from '../../intake/otlp/otlpFormat.worker.ts';
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import { readBody } from '../logs/logRequests.ts';
import { jsonType } from '../responseHeaders.ts';
import { type HandledRoute, handle, type SpellFailure } from '../routing.ts';
import { otlpRoutes } from './contract.ts';
import { spellFivemerrFailure, takeFivemerrLogs, wasTakenAsFivemerr } from './fivemerr.ts';
import { isProtobuf, takeBytes } from './requests.ts';

const contentTypes: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: jsonType,
};

export function handleOtlp(deps: SentDeps): HandledRoute[] {
  return otlpRoutes.map(route => {
    const handled = handle(route, async call => {
      const encoding = encodingOf(call.request);
      using body: DecodedBody = await readBody(call.request);
      const { bytes } = body;
      const mayBeOther = encoding === 'json' && route.path === sharedPath;
      if (mayBeOther && !holdsResourceLogs(bytes)) return takeFivemerrLogs(deps, call, bytes);
      const shown = await takeBytes(deps, call, { format, options: { encoding }, bytes });
      const answer = writeOtlpResponse(encoding, shown as OtlpRefusal); // as the format says it
      return call.reply.type(contentTypes[encoding]).serializer(asItIs).send(answer);
    });
    return { ...handled, spellFailure };
  });
}

const sharedPath = '/v1/logs'; // with the collector's own prefix nobody else is meant

/** The only member that a request has. Nothing, an empty object or list and what is no JSON are told as OpenTelemetry has it. */
function holdsResourceLogs(body: Buffer): boolean {
  if (resourceLogs.some(name => body.includes(name))) return true;
  const head = body.toString('latin1', 0, headBytes).trim();
  return !/^(?:\{\s*"|\[\s*[^\s\]])/.test(head);
}

const resourceLogs = ['"resourceLogs"', '"resource_logs"'];
const headBytes = 64; // blanks, and the first sign or two

function encodingOf(request: FastifyRequest): OtlpEncoding {
  return isProtobuf(request) ? 'protobuf' : 'json';
}

function asItIs(answer: string): string {
  return answer;
}

/** Codes of gRPC. */
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

const spellFailure: SpellFailure = (failure, exchange) => {
  const { status, body } = failure;
  const { request, reply } = exchange;
  if (wasTakenAsFivemerr(request)) return spellFivemerrFailure(failure, exchange);
  const encoding = encodingOf(request);
  // What the service could not do now may succeed later, which is what this status says here.
  const told = status >= 500 ? 503 : status;
  reply.code(told).type(contentTypes[encoding]);
  return writeOtlpError(encoding, { code: statusCodes[told] ?? unknownCode, message: body.error });
};
