/** Serves the API description and the documentation pages. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { writeGuide } from '@tapedeck/guides';
import { readCatalogue } from '@tapedeck/guides/files';
import { writeMarkdownPage } from '@tapedeck/guides/pages';
import type { FastifyInstance } from 'fastify';

export const documentPaths = [
  '/openapi.json',
  '/docs',
  '/docs/',
  '/docs/static/index.html',
  '/docs/connect',
  '/docs/index',
  '/docs/notifications',
];

/** Nothing from elsewhere. Over plain HTTP, too: the usual policy of the pages' maker lets only HTTPS and localhost see them. */
const pagePolicy = {
  'default-src': "'self'",
  'base-uri': "'self'",
  'frame-ancestors': "'self'",
  'img-src': "'self' data:",
  'object-src': "'none'",
  'style-src': "'self' 'unsafe-inline'", // the pages style themselves so
};

/** Text, its own style, and pictures. */
const guidesPolicy =
  "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'";

type Documents = {
  /** The description of the API. */
  document: Record<string, unknown>;
  /** Of the guides in Markdown, and their pictures. */
  guidesDirectory: string;
  /** Known once the service listens. */
  address: { publicUrl: string };
};

export async function serveDocuments(
  app: FastifyInstance,
  { document, guidesDirectory, address }: Documents,
): Promise<void> {
  app.get('/openapi.json', (_request, reply) => {
    reply.header('access-control-allow-origin', '*').send(document);
  });
  await serveGuides(app, { guidesDirectory, address });
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

const toolsFolder = 'connect';
const exampleAddresses = ['https://media.example.org', 'http://localhost:8787']; // replaced by the service's own
const ways = [
  { title: 'Dashboard', url: '/' },
  { title: 'Guides', url: '/docs/index' },
  { title: 'Connecting tools', url: '/docs/connect' },
  { title: 'Notifications', url: '/docs/notifications' },
  { title: 'API', url: '/docs/' },
];

/** Serves each guide of the repository under its name. Those of tools get the service's address. */
async function serveGuides(
  app: FastifyInstance,
  { guidesDirectory, address }: Pick<Documents, 'guidesDirectory' | 'address'>,
): Promise<void> {
  const files = (await readdir(guidesDirectory, { recursive: true })).map(file => file.replaceAll('\\', '/'));
  const known = new Set(files);
  for (const file of files.filter(each => each.endsWith('.svg'))) {
    const picture = await readFile(path.join(guidesDirectory, file));
    app.get(`/docs/${file}`, (_request, reply) => {
      reply.header('content-security-policy', guidesPolicy).type('image/svg+xml').send(picture);
    });
  }
  const serve = (file: string, write: () => string) => {
    app.get(locateGuide(file), (_request, reply) => {
      const page = writeMarkdownPage(write(), {
        findLink: target => locateLink(known, file, target),
        site: 'Tapedeck',
        ways,
      });
      reply.header('content-security-policy', guidesPolicy).type('text/html; charset=utf-8').send(page);
    });
  };
  for (const file of files.filter(each => each.endsWith('.md') && path.posix.dirname(each) !== toolsFolder)) {
    const markdown = await readFile(path.join(guidesDirectory, file), 'utf8');
    serve(file, () => fillAddress(markdown, address.publicUrl));
  }
  for (const guide of readCatalogue(path.join(guidesDirectory, toolsFolder)).guides)
    serve(`${toolsFolder}/${guide.id}.md`, () => writeGuide(guide, address.publicUrl));
}

/** The examples of a guide, for the service itself. */
function fillAddress(markdown: string, address: string): string {
  return exampleAddresses.reduce((text, each) => text.replaceAll(each, address), markdown);
}

const locateGuide = (file: string) => `/docs/${file.replace(/\.md$/, '')}`;

/** The URL of a guide or picture that another guide links to. null: the link leads out of the folder. */
function locateLink(known: ReadonlySet<string>, from: string, target: string): string | null {
  const [, relative = '', place = ''] = /^([^#]*)(#.*)?$/.exec(target) ?? [];
  const file = path.posix.join(path.posix.dirname(from), relative);
  return known.has(file) ? locateGuide(file) + place : null;
}
