/** Makes the error body `{error, code, …}`. No other file makes one. */

import type { ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
import {
  type ErrorCode,
  type ExpectedFailure,
  errorStatuses,
  isExpected,
  ServiceError,
} from '@tapedeck/domain/vocabulary';
import { lingerAtEnd } from '@tapedeck/fast-http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isWebhookPath } from './fieldAliases.ts';
import { jsonType } from './responseHeaders.ts';

/** The code and sentence for each error that Fastify itself finds. */
const fastifyFailures: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than this route accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_content_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['bad_request', 'The path is not valid percent-encoded UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is nothing at this path.'],
  FST_ERR_REOPENED_CLOSE_SERVER: ['stopping', 'The service is stopping; try again in a moment.'],
};

function toExpected(error: unknown): ExpectedFailure | null {
  if (isExpected(error)) return error;
  // Fastify's own errors carry these fields; others lack them and fall through.
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = fastifyFailures[code ?? ''];
  if (known) return new ServiceError(...known);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ServiceError('bad_request', 'The request could not be read.');
  }
  return null;
}

type FailureDeps = { log: Logger; counts: Pick<ProjectCounts, 'countRefusal'> };

export type Exchange = { request: FastifyRequest; reply: FastifyReply };

export function respondFailure({ log, counts }: FailureDeps, error: unknown, exchange: Exchange): void {
  const { request, reply } = exchange;
  const place = { requestId: request.id, route: request.routeOptions.url };
  const failure = describeFailure(log, error, place);
  const { status, headers, body } = failure;
  counts.countRefusal(projectOf(request), body.code);
  reply.headers(headers);
  // The next request cannot follow a body that was not read to its end.
  if (announcesBody(request) && !request.raw.complete) {
    reply.header('connection', 'close');
    lingerAtEnd(request.raw.socket);
  }
  reply.header('x-request-id', request.id);
  // These headers may have been set for a file that is not sent now.
  reply.header('cache-control', 'no-store').removeHeader('content-disposition');
  const { formatFailure } = request.routeOptions.config;
  const isForPlatform = isWebhookPath(request.url);
  // Other formats have no field for it, and the chat platform's `code` is a number.
  if (formatFailure !== undefined || isForPlatform) reply.header('x-error-code', body.code);
  reply.code(status).type(jsonType);
  if (formatFailure !== undefined) {
    reply.serializer(asItIs).send(formatFailure(failure, exchange));
    return;
  }
  reply.serializer(JSON.stringify);
  reply.send(isForPlatform ? addPlatformFields(body, headers) : body);
}

function asItIs(body: string): string {
  return body;
}

/** Libraries of the chat platform show the sentence in `message`, and wait for `retry_after` seconds. */
function addPlatformFields(body: FailureResponse['body'], headers: FailureResponse['headers']): object {
  const retryAfter = headers['retry-after'];
  return {
    ...body,
    message: body.error,
    ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }),
  };
}

/** Answers with the failure. After an earlier answer, closes the connection, which ends the wait for the body. */
export function refuseLate(reply: FastifyReply, failure: ExpectedFailure): void {
  if (reply.sent) reply.raw.socket?.destroySoon();
  else reply.send(failure);
}

/** Returns the project of the credential, else the one in the path, which may not exist; null: neither is known. */
function projectOf({ project = null, params }: Partial<Pick<FastifyRequest, 'project' | 'params'>>) {
  // The router fills params by the names in the path. Unreadable paths have none.
  const named = (params ?? {}) as { project?: string };
  return project ?? named.project ?? null;
}

type Place = { requestId: string; route: string | undefined };

export type FailureResponse = {
  status: number;
  headers: Record<string, string>;
  body: { error: string; code: ErrorCode; field?: string; index?: number; position?: number };
};

export function describeFailure(log: Logger, error: unknown, place: Place): FailureResponse {
  return composeFailure(toExpected(error) ?? describeBug(log, error, place));
}

/** Composes an expected failure; `describeFailure` takes any error. */
export function composeFailure(failure: ExpectedFailure): FailureResponse {
  const status = errorStatuses[failure.code];
  const headers: Record<string, string> = {};
  if (failure.retryAfterSeconds !== undefined) headers['retry-after'] = String(failure.retryAfterSeconds);
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="tapedeck"';
  const { message: error, code, field, index, position } = failure;
  return {
    status,
    headers,
    body: {
      error,
      code,
      ...(field !== undefined && { field }),
      ...(index !== undefined && { index }),
      ...(position !== undefined && { position }),
    },
  };
}

function describeBug(log: Logger, error: unknown, place: Place): ServiceError {
  log.error({ err: error, ...place }, 'a request failed unexpectedly');
  const sentence = `Something went wrong in the service. Its log has details under the request id ${place.requestId}.`;
  return new ServiceError('internal', sentence);
}

/** Returns whether the request announces a body. */
function announcesBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
