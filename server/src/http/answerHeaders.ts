/** The headers of every answer, whoever sends it: the router, the fast path, or what refuses broken requests. */
import { allowsOtherSites, otherSitesHeaders } from './cors.ts';

export type AnswerHeaders = Readonly<Record<string, string>>;

export const usualHeaders: AnswerHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const headersOfPages = usualHeaders;
const headersOfMedia = { ...usualHeaders, ...otherSitesHeaders };
const headersOfManagement = { ...usualHeaders, 'cache-control': 'no-store' };
const headersOfApi = { ...headersOfManagement, ...otherSitesHeaders };

/** What every answer at a path has, or at all paths of a route. */
export function headersAt(path: string): AnswerHeaders {
  if (path.startsWith('/media/')) return headersOfMedia;
  if (allowsOtherSites(path)) return headersOfApi;
  return path.startsWith('/api/') ? headersOfManagement : headersOfPages;
}

/** Without a charset: JSON is UTF-8 by its standard, and some clients compare the type letter by letter. */
export const jsonType = 'application/json';
