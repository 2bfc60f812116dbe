/** Serves the dashboard: its files, and its single page for every address it shows. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data: blob: https: http:", // files may be served from a bucket or a CDN domain
  "media-src 'self' blob: https: http:",
  "style-src 'self' 'unsafe-inline'", // widgets place themselves by style attributes
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** A file whose name holds a hash never changes. */
const assetsFolder = `${path.sep}assets${path.sep}`;

export type Dashboard = { sendPage(request: FastifyRequest, reply: FastifyReply): boolean };

export async function serveDashboard(app: FastifyInstance, directory: string): Promise<Dashboard> {
  if (!existsSync(path.join(directory, 'index.html'))) return { sendPage: () => false };
  await app.register(fastifyStatic, {
    root: directory,
    wildcard: false,
    preCompressed: true,
    setHeaders: (reply, file) => {
      reply.header('content-security-policy', contentSecurityPolicy);
      reply.header(
        'cache-control',
        file.includes(assetsFolder) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  return {
    sendPage: (request, reply) => {
      if (!wantsPage(request)) return false;
      reply.sendFile('index.html');
      return true;
    },
  };
}

/** Whether a browser asks for a page: it accepts HTML, and the path is not one that machines ask for. */
function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isPagePath = !/^\/(?:api|media|mcp|docs|healthz|readyz|metrics|openapi\.json)(?:[/?]|$)/.test(url);
  return (
    (method === 'GET' || method === 'HEAD') && isPagePath && (headers.accept ?? '').includes('text/html')
  );
}
