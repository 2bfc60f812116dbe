/** The door of OpenTelemetry. Its clients send again after 429, 502, 503 and 504 alone. */
import {
  type OtlpEncoding,
  type OtlpRefusal,
  writeOtlpAnswer,
  writeOtlpError,
} from '@tapedeck/log-protocols';
import type { FastifyRequest } from 'fastify';
import { format } from '../../intake/otlp/otlpFormat.worker.ts';
import type { SentDeps } from '../../intake/sent/takeSent.ts';
import { jsonType } from '../answerHeaders.ts';
import { type HandledRoute, handle, type SpellFailure } from '../registry.ts';
import { otlpRoutes } from './contract.ts';
import { isProtobuf, takeDoor } from './requests.ts';

const contentTypes: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: jsonType,
};

export function handleOtlp(deps: SentDeps): HandledRoute[] {
  return otlpRoutes.map(route => {
    const handled = handle(route, async call => {
      const encoding = encodingOf(call.request);
      const shown = await takeDoor(deps, call, { format, options: { encoding } });
      const answer = writeOtlpAnswer(encoding, shown as OtlpRefusal); // as the format says it
      return call.reply.type(contentTypes[encoding]).serializer(asItIs).send(answer);
    });
    return { ...handled, spellFailure };
  });
}

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

const spellFailure: SpellFailure = ({ status, body }, { request, reply }) => {
  const encoding = encodingOf(request);
  // What the service could not do now may succeed later, which is what this status says here.
  const told = status >= 500 ? 503 : status;
  reply.code(told).type(contentTypes[encoding]);
  return writeOtlpError(encoding, { code: statusCodes[told] ?? unknownCode, message: body.error });
};
