/** Serves the description of the API, and the pages on which people try it out. */
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

export const documentPaths = ['/openapi.json', '/docs', '/docs/', '/docs/static/index.html'];

/** Nothing from elsewhere. Over plain HTTP, too: the usual policy of the pages' maker lets only HTTPS and localhost see them. */
const pagePolicy = {
  'default-src': "'self'",
  'base-uri': "'self'",
  'frame-ancestors': "'self'",
  'img-src': "'self' data:",
  'object-src': "'none'",
  'style-src': "'self' 'unsafe-inline'", // the pages style themselves so
};

export async function serveDocuments(app: FastifyInstance, document: Record<string, unknown>): Promise<void> {
  app.get('/openapi.json', (_request, reply) => {
    reply.header('access-control-allow-origin', '*').send(document);
  });
  // Written by `contract/openapi.ts` in this very form.
  await app.register(swagger, {
    mode: 'static',
    specification: { document: document as unknown as StaticDocumentSpec['document'] },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    theme: { title: 'Tapedeck API' },
    uiConfig: { layout: 'BaseLayout' }, // the usual one begins with the maker's name and a field for other documents
  });
}
