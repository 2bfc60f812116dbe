/** Reads JSON bodies. Ignores the body on routes that take none. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import { parseJson } from '@tapedeck/request-bodies';
import type { FastifyInstance, FastifyRequest } from 'fastify';

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
