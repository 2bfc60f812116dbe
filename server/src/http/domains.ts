/** Translates paths under a project's own CDN domain into the paths of the service. */
import type { IncomingMessage } from 'node:http';
import type { AccessDirectory } from '../domain/access.ts';

/** `https://<domain>/<project>/<key>` is `/media/<project>/<key>`; every other path stays what it is. */
export function rewriteDomainUrl(
  access: AccessDirectory,
  { headers, url = '/' }: Pick<IncomingMessage, 'headers' | 'url'>,
): string {
  const host = headers.host?.toLowerCase() ?? '';
  const project = access.findProjectByDomain(host) ?? access.findProjectByDomain(host.replace(/:\d+$/, ''));
  return project !== null && url.startsWith(`/${project.slug}/`) ? `/media${url}` : url;
}
