/** Defines Loki's protocol: its push, and the questions that clients ask first. Clients retry after 429 or 5xx and drop the rest. */
import {
  answerJson,
  defineEntryRoute,
  isProtobuf,
  largeBytesMin,
  type Protocol,
  type ProtocolAnswer,
  type QuestionRoute,
  textType,
  writeNothing,
} from '../protocol.ts';
import { readSnappy, readSnappyLength } from '../reading/snappy.ts';
import { readLokiJson, readLokiProtobuf } from './reader.ts';

type LokiOptions = { encoding: 'protobuf' | 'json' };

export const loki: Protocol<LokiOptions> = {
  name: 'loki',
  entryRoutes: [
    defineEntryRoute<LokiOptions>({
      id: 'loki_push',
      path: '/loki/api/v1/push',
      summary: "Loki's push, as JSON or protobuf.",
      // Snappy always compresses protobuf, and some clients declare it.
      bodyEncoding: request =>
        isProtobuf(request) && /^\s*snappy\s*$/i.test(request.headers['content-encoding'] ?? '')
          ? 'none'
          : 'declared',
      readOptions: request => ({ encoding: isProtobuf(request) ? 'protobuf' : 'json' }),
      answer: () => ({ status: 204, type: textType, body: '' }),
    }),
  ],
  questionRoutes: [
    {
      id: 'loki_ready',
      method: 'GET',
      path: '/ready',
      summary: 'Says that the service is ready, as Loki does.',
      needsToken: false,
      answer: () => answerText(200, 'ready\n'),
    },
    describeBuildInfo('loki_build_info', 'GET'),
    describeBuildInfo('loki_build_info_post', 'POST'),
  ],
  unpacksLarge: (body, { encoding }) => encoding === 'protobuf' && readSnappyLength(body) > largeBytesMin,
  read: (body, { encoding }, rules) => ({
    entries:
      encoding === 'protobuf'
        ? readLokiProtobuf(readSnappy(body, rules.bytesMax), rules)
        : readLokiJson(body, rules),
    refusals: null,
  }),
  write: writeNothing,
  refuse: ({ status, sentence }) => answerText(status, `${sentence}\n`),
};

/** Like Loki's other queries, it accepts both methods. It ignores a form in the request. */
function describeBuildInfo(id: string, method: 'GET' | 'POST'): QuestionRoute {
  return {
    id,
    method,
    path: '/loki/api/v1/status/buildinfo',
    summary: "Loki's version.",
    needsToken: false,
    answer: (_request, _body, { version }) =>
      answerJson(200, { version, revision: '', branch: '', goVersion: '' }),
  };
}

function answerText(status: number, body: string): ProtocolAnswer {
  return { status, type: textType, body };
}
