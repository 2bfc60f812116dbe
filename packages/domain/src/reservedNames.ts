/** Names that projects cannot take, because the service uses them: first path segments and its own hosts. */
import { protocols } from '@tapedeck/log-protocols';
import { invalidFieldError, ServiceError } from './vocabulary.ts';

/** Under a custom domain, the slug is the first path segment. A test checks that this lists every route, page and file of the service. */
const paths = [
  'api',
  'docs',
  'docs-frame',
  'docs-reference',
  'healthz',
  'mcp',
  'media',
  'metrics',
  'openapi',
  'readyz',
  // Pages of the dashboard and their assets
  'account',
  'assets',
  'audit',
  'index',
  'invitation',
  'mark',
  'new-project',
  'projects',
  'set-up',
  'sign-in',
  'theme',
  'upload-page',
  'users',
  // Reserved for the future
  'sdk',
  'v1',
  'v2',
  'v3',
  'webhooks',
];

/** Paths of other programs' protocols begin at the root. Path parameters reserve nothing. */
const protocolPaths = protocols
  .flatMap(({ entryRoutes, questionRoutes }) => [...entryRoutes, ...questionRoutes])
  .flatMap(({ path }) => /^\/([^/{]+)(?:\/|$)/.exec(path)?.[1] ?? []);

const reservedSlugs: ReadonlySet<string> = new Set([...paths, ...protocolPaths]);

export function isReservedSlug(slug: string): boolean {
  return reservedSlugs.has(slug);
}

export function requireFreeSlug(slug: string): void {
  if (!isReservedSlug(slug)) return;
  throw new ServiceError(
    'name_taken',
    `The slug "${slug}" is a path of the service itself; choose another.`,
    {
      field: 'slug',
    },
  );
}

/** Normalises the host of a URL or domain as browsers do: no port, no trailing dot, plain IP addresses. */
export function readHostName(text: string): string | null {
  const url = text.includes('://') ? text : `https://${text}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : null;
}

type OwnPlaces = {
  publicUrl: string | null;
  host: string;
  blobs: { kind: string; publicUrl?: string | null };
};

/** Lists the host names of the service and its bucket. */
export function listOwnHosts({ publicUrl, blobs, host }: OwnPlaces): string[] {
  return [publicUrl, blobs.publicUrl ?? null, host].flatMap(place => (place && readHostName(place)) || []);
}

/** Whether requests to the domain may be meant for the service itself. */
export function isOwnDomain(domain: string, ownHosts: readonly string[]): boolean {
  const host = readHostName(domain);
  return host === null || isLocal(host) || ownHosts.includes(host);
}

function isLocal(host: string): boolean {
  // Only IP addresses have brackets, or consist of digits and dots.
  return /^\[|^[\d.]+$/.test(host) || host === 'localhost' || host.endsWith('.localhost');
}

/** Prevents a project from answering in place of the service or the machine. */
export function requireForeignDomain(domain: string, ownHosts: readonly string[]): void {
  const host = readHostName(domain);
  if (host === null || isLocal(host)) {
    throw invalidFieldError('cdnDomain', 'The domain must be a public name, not an IP address or localhost.');
  }
  if (!ownHosts.includes(host)) return;
  throw new ServiceError(
    'name_taken',
    `The domain ${domain} belongs to the service; choose another for the project.`,
    {
      field: 'cdnDomain',
    },
  );
}
