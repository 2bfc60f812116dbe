/** Serves the API description, its reference, and the guides as pages that share one navigation and one search. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import { writeMarkdownPage } from '@tapedeck/guides/pages';
import { type ApiDocument, openReference } from '@tapedeck/guides/reference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../compressedResponses.ts';
import { type GuidePages, openGuidePages } from './guidePages.ts';
import { computeOnce } from './lazyValue.ts';
import { frameOf, type Shelf } from './sidebar.ts';

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

/** Allows the service's own text and pictures, its style sheet and its search script. */
const pagePolicy =
  "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";

/** Lets the requests that readers try go to this service only. */
const referencePolicy = pagePolicy.replace("default-src 'none'", "default-src 'self'");

const htmlType = 'text/html; charset=utf-8';
const markdownType = 'text/markdown; charset=utf-8';

type Documents = {
  /** Describes the API in the contract's form. The service starts without waiting for it. */
  describe: () => Record<string, unknown>;
  /** Contains the guides in Markdown and their pictures. */
  guidesDirectory: string;
  /** Known once the service listens. */
  address: { publicUrl: string };
};

export function serveDocuments(
  app: FastifyInstance,
  { describe, guidesDirectory, address }: Documents,
): void {
  const openDocument = computeOnce(describe);
  app.get('/openapi.json', (_request, reply) => {
    reply.header('access-control-allow-origin', '*').send(openDocument());
  });
  const openGuides = computeOnce(() => openGuidePages(guidesDirectory, address));
  const openShelf = computeOnce(async () => ({
    // `contract/openapi.ts` writes exactly this form.
    reference: openReference(openDocument() as unknown as ApiDocument, '/docs/api'),
    guides: await openGuides(),
  }));
  serveReference(app, openShelf, address);
  serveGuides(app, openGuides, openShelf);
}

type OpenShelf = () => Promise<Shelf>;

function serveReference(app: FastifyInstance, openShelf: OpenShelf, address: { publicUrl: string }): void {
  const sendOverview = async (reply: FastifyReply) => {
    const shelf = await openShelf();
    return sendPage(reply, referencePolicy, shelf.reference.writeOverview(frameOf(shelf, '/docs')));
  };
  app.get('/docs', (_request, reply) => sendOverview(reply));
  app.get('/docs/', (_request, reply) => sendOverview(reply));
  app.get('/docs/search.json', async (_request, reply) => {
    const { reference, guides } = await openShelf();
    return sendJson(reply, [...guides.entries(), ...reference.entries]);
  });
  app.get<{ Params: { area: string } }>('/docs/api/:area', async (request, reply) => {
    const { area } = request.params;
    const shelf = await openShelf();
    if (!shelf.reference.areas.some(({ slug }) => slug === area)) {
      if (wantsPage(request)) return sendMissing(reply, shelf);
      throw refuseUnknown();
    }
    const frame = frameOf(shelf, `/docs/api/${area}`);
    return sendPage(reply, referencePolicy, shelf.reference.writeArea(area, address.publicUrl, frame));
  });
}

/** Adds one route for all guides. Single routes would cost each start as much as those of the API. */
function serveGuides(
  app: FastifyInstance,
  openGuides: () => Promise<GuidePages>,
  openShelf: OpenShelf,
): void {
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const url = `/docs/${request.params['*']}`;
    const guides = await openGuides();
    if (guides.list.some(guide => guide.url === url))
      return sendPage(reply, pagePolicy, guides.write(url, frameOf(await openShelf(), url)));
    const asMarkdown = guides.list.find(guide => `${guide.url}.md` === url);
    if (asMarkdown !== undefined) return reply.type(markdownType).send(guides.writeMarkdown(asMarkdown.url));
    const picture = guides.pictures.find(each => each.url === url);
    if (picture === undefined)
      return wantsPage(request) ? sendMissing(reply, await openShelf()) : reply.callNotFound();
    reply.header('content-security-policy', pagePolicy).type('image/svg+xml');
    return guides.read(picture.file);
  });
}

function sendPage(reply: FastifyReply, policy: string, page: string): FastifyReply {
  return reply.header('content-security-policy', policy).type(htmlType).send(page);
}

const missingMarkdown = `# Page not found

The documentation has no page at this address. It may have moved, or the link is incomplete. Search at the top, or start with the
[guides](/docs/index), the [tools](/docs/connect) or the [API](/docs).
`;

/** Sends a page; programs get the error of the API. */
function sendMissing(reply: FastifyReply, shelf: Shelf): FastifyReply {
  const page = writeMarkdownPage(missingMarkdown, { ...frameOf(shelf, ''), findLink: target => target });
  return sendPage(reply.code(404), pagePolicy, page);
}

function wantsPage({ headers: { accept = '' } }: Pick<FastifyRequest, 'headers'>): boolean {
  return accept.includes('text/html');
}

function refuseUnknown(): ServiceError {
  return new ServiceError('not_found', 'The reference has no such page; /docs lists them.');
}
