/** Serves the dashboard: its files, and its single page at every address that it shows. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';

const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data: blob: https: http:", // files may come from a bucket or a CDN domain
  "media-src 'self' blob: https: http:",
  "style-src 'self' 'unsafe-inline'", // widgets position themselves with style attributes
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

const assetsName = 'assets';

/** Files whose names hold a hash never change. */
const assetsFolder = `${path.sep}${assetsName}${path.sep}`;

export type Dashboard = { sendPage(request: FastifyRequest, reply: FastifyReply): boolean };

export async function serveDashboard(app: FastifyInstance, directory: string): Promise<Dashboard> {
  if (!existsSync(path.join(directory, 'index.html'))) return { sendPage: () => false };
  await app.register(fastifyStatic, {
    root: directory,
    serve: false,
    preCompressed: true,
    setHeaders: (reply, file) => {
      reply.header('content-security-policy', contentSecurityPolicy);
      reply.header(
        'cache-control',
        file.includes(assetsFolder) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  addRoutes(app, await listFiles(directory), await listFiles(path.join(directory, assetsName)));
  return {
    sendPage: (request, reply) => {
      if (!wantsPage(request)) return false;
      reply.sendFile('index.html');
      return true;
    },
  };
}

/** Lists the files to serve. A compressed copy beside a file is served in its place. */
async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(({ name }) => name);
  return files.filter(name => !/\.(?:br|gz)$/.test(name));
}

/** Adds one route for all assets. Hundreds of single routes took a tenth of a second of every start. */
function addRoutes(app: FastifyInstance, pages: readonly string[], assets: readonly string[]): void {
  const known = new Set(assets);
  const add = (url: string, handler: RouteHandlerMethod) =>
    app.route({ method: ['GET', 'HEAD'], url, handler, errorHandler: ignoreDisconnects(app) });
  add('/', (_request, reply) => reply.sendFile('index.html'));
  for (const name of pages) add(`/${name}`, (_request, reply) => reply.sendFile(name));
  add(`/${assetsName}/*`, ({ params }, reply) => {
    const name = (params as { '*': string })['*']; // the router's name for the rest of the path
    return known.has(name) ? reply.sendFile(`${assetsName}/${name}`) : reply.callNotFound();
  });
}

/** Ignores browsers that disconnect in the middle of a file. */
function ignoreDisconnects(app: FastifyInstance): NonNullable<RouteOptions['errorHandler']> {
  return (error, request, reply) => {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') request.raw.destroy();
    else app.errorHandler(error, request, reply);
  };
}

/** Returns whether a browser asks for a page: it accepts HTML, and the path is not one for machines. */
function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isPagePath = !/^\/(?:api|media|mcp|docs|healthz|readyz|metrics|openapi\.json)(?:[/?]|$)/.test(url);
  return (
    (method === 'GET' || method === 'HEAD') && isPagePath && (headers.accept ?? '').includes('text/html')
  );
}
