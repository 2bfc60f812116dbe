/** Reads JSON bodies. A body on a route that takes none is passed over. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../vocabulary.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      request.routeOptions.config.route?.body ? parseJson(body) : undefined,
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest) => {
    if (!request.routeOptions.config.route?.body) return undefined;
    throw new ServiceError('unsupported_content_type', 'Send the body as application/json.');
  });
}

/** Leaves the body to the handlers of this scope, which read it as a stream. */
export function handOnBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/** Whether the request announced a body, be it empty. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return announcesBody(headers);
}

export function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** An empty body is an absent one. */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    throw new ServiceError('invalid_json', `The body is not valid JSON: ${describeJsonError(error)}.`);
  }
}

/** The message of the JSON parser without its quotation of the body, which may hold a secret. */
function describeJsonError(error: unknown): string {
  if (!(error instanceof SyntaxError)) return 'it is not UTF-8';
  const { message } = error;
  if (/ at position \d+/.test(message)) return message.replace(' in JSON at ', ' at ');
  return /^Unexpected (?:token '.+?'(?=,)|end)/su.exec(message)?.[0] ?? 'it cannot be parsed';
}
