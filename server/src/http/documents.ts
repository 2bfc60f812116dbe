/** Serves the description of the API, and the pages on which people try it out. */
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { writePage } from '@tapedeck/connection-guides/documents';
import type { FastifyInstance } from 'fastify';

export const documentPaths = ['/openapi.json', '/docs', '/docs/', '/docs/static/index.html', '/docs/connect'];

/** Nothing from elsewhere. Over plain HTTP, too: the usual policy of the pages' maker lets only HTTPS and localhost see them. */
const pagePolicy = {
  'default-src': "'self'",
  'base-uri': "'self'",
  'frame-ancestors': "'self'",
  'img-src': "'self' data:",
  'object-src': "'none'",
  'style-src': "'self' 'unsafe-inline'", // the pages style themselves so
};

/** Text and its own style. */
const guidesPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'";

type Documents = {
  /** The description of the API. */
  document: Record<string, unknown>;
  /** Known once the service listens. */
  address: { publicUrl: string };
};

export async function serveDocuments(app: FastifyInstance, { document, address }: Documents): Promise<void> {
  app.get('/openapi.json', (_request, reply) => {
    reply.header('access-control-allow-origin', '*').send(document);
  });
  let guidesPage = '';
  app.get('/docs/connect', (_request, reply) => {
    guidesPage ||= writePage(address.publicUrl);
    reply.header('content-security-policy', guidesPolicy).type('text/html; charset=utf-8').send(guidesPage);
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
