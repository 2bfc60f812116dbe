/** The headers of every response, from the router, the fast path, or an early rejection. */
import { exposedHeaders, protocolHeaders } from '@tapedeck/resumable-uploads';
import { allowsOtherSites, otherSitesHeaders } from './cors.ts';

export type ResponseHeaders = Readonly<Record<string, string>>;

export const usualHeaders: ResponseHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const headersOfPages = usualHeaders;
const headersOfMedia = { ...usualHeaders, ...otherSitesHeaders };
const headersOfManagement = { ...usualHeaders, 'cache-control': 'no-store' };
const headersOfApi = { ...headersOfManagement, ...otherSitesHeaders };

const { 'access-control-expose-headers': exposed } = otherSitesHeaders;
const headersOfResumable = {
  ...headersOfApi,
  ...protocolHeaders,
  'access-control-expose-headers': [exposed, ...exposedHeaders].join(', '),
};

/** Returns whether the path takes resumable uploads. The path may hold parameters. */
export function isResumable(path: string): boolean {
  return /^\/api\/v3\/file\/(?:presigned-url\/[^/?]+\/)?resumable(?![^/?])/.test(path);
}

/** Returns the headers of every response at a path, or at all paths of a route. */
export function headersAt(path: string): ResponseHeaders {
  if (isResumable(path)) return headersOfResumable;
  if (path.startsWith('/media/')) return headersOfMedia;
  if (allowsOtherSites(path)) return headersOfApi;
  return path.startsWith('/api/') ? headersOfManagement : headersOfPages;
}

/** No charset: JSON is always UTF-8, and some clients compare the type letter by letter. */
export const jsonType = 'application/json';
