/** Serves the API description, its reference, and the guides, as pages with one navigation and one search. */
import { type ApiDocument, openReference } from '@tapedeck/guides/reference';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../vocabulary.ts';
import { type GuidePages, openGuidePages } from './guidePages.ts';
import { rememberFirst } from './rememberFirst.ts';
import { frameOf, type Shelf } from './shelf.ts';

export const documentPaths = [
  '/openapi.json',
  '/docs',
  '/docs/',
  '/docs/search.json',
  '/docs/api/{area}',
  '/docs/connect',
  '/docs/index',
  '/docs/notifications',
];

/** Text and pictures of the service itself, and the two files that style and search. */
const pagePolicy =
  "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";

/** Requests that people try go to this service, and nowhere else. */
const referencePolicy = pagePolicy.replace("default-src 'none'", "default-src 'self'");

const htmlType = 'text/html; charset=utf-8';

type Documents = {
  /** Describes the API in the form in which the contract writes it; a start does not wait for it. */
  describe: () => Record<string, unknown>;
  /** Of the guides in Markdown, and their pictures. */
  guidesDirectory: string;
  /** Known once the service listens. */
  address: { publicUrl: string };
};

export async function serveDocuments(
  app: FastifyInstance,
  { describe, guidesDirectory, address }: Documents,
): Promise<void> {
  const openDocument = rememberFirst(describe);
  app.get('/openapi.json', (_request, reply) => {
    reply.header('access-control-allow-origin', '*').send(openDocument());
  });
  const guides = await openGuidePages(guidesDirectory, address);
  const openShelf = rememberFirst(() => ({
    // `contract/openapi.ts` writes it in this very form.
    reference: openReference(openDocument() as unknown as ApiDocument, '/docs/api'),
    guides,
  }));
  serveReference(app, openShelf, address);
  serveGuides(app, guides, openShelf);
}

function serveReference(app: FastifyInstance, openShelf: () => Shelf, address: { publicUrl: string }): void {
  const sendOverview = (reply: FastifyReply) => {
    const shelf = openShelf();
    sendPage(reply, referencePolicy, shelf.reference.writeOverview(frameOf(shelf, '/docs')));
  };
  app.get('/docs', (_request, reply) => sendOverview(reply));
  app.get('/docs/', (_request, reply) => sendOverview(reply));
  app.get('/docs/search.json', (_request, reply) => {
    const { reference, guides } = openShelf();
    reply.send([...guides.entries(), ...reference.entries]);
  });
  app.get<{ Params: { area: string } }>('/docs/api/:area', ({ params: { area } }, reply) => {
    const shelf = openShelf();
    if (!shelf.reference.areas.some(({ slug }) => slug === area)) throw refuseUnknown();
    const frame = frameOf(shelf, `/docs/api/${area}`);
    sendPage(reply, referencePolicy, shelf.reference.writeArea(area, address.publicUrl, frame));
  });
}

function serveGuides(app: FastifyInstance, guides: GuidePages, openShelf: () => Shelf): void {
  for (const { url } of guides.list) {
    app.get(url, async (_request, reply) => {
      sendPage(reply, pagePolicy, await guides.write(url, frameOf(openShelf(), url)));
    });
  }
  for (const { url, file } of guides.pictures) {
    app.get(url, async (_request, reply) => {
      reply.header('content-security-policy', pagePolicy).type('image/svg+xml');
      return guides.read(file);
    });
  }
}

function sendPage(reply: FastifyReply, policy: string, page: string): void {
  reply.header('content-security-policy', policy).type(htmlType).send(page);
}

function refuseUnknown(): ServiceError {
  return new ServiceError('not_found', 'The reference has no such page; /docs lists them.');
}
