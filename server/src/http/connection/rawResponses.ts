/** Composes JSON responses of the fast path, with the same headers and texts as the router's. */

import type { ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
import { type PlainAnswer, writeHeaders } from '@tapedeck/fast-http';
import type { Logger } from 'pino';
import { describeFailure } from '../failures.ts';
import { headersAt, jsonType } from '../responseHeaders.ts';

type JsonAnswers = {
  /** The headers that all of these responses share, as sent. */
  head: string;
  refuse(error: unknown, request: { id: string; project: string }): PlainAnswer;
};

type ResponseDeps = { log: Logger; counts: Pick<ProjectCounts, 'countRefusal'> };

export function openJsonResponses(route: string, { log, counts }: ResponseDeps): JsonAnswers {
  const head = writeHeaders({ ...headersAt(route), 'cache-control': 'no-store', 'content-type': jsonType });
  return {
    head,
    refuse: (error, { id: requestId, project }) => {
      const { status, headers, body } = describeFailure(log, error, { requestId, route });
      counts.countRefusal(project, body.code);
      const bytes = Buffer.from(JSON.stringify(body));
      const own = { ...headers, 'x-request-id': requestId, 'content-length': String(bytes.length) };
      return { status, head, headers: own, body: bytes };
    },
  };
}
