/** Formats errors as pages for people who open a URL in a browser, and as JSON for programs. */
import type { ErrorCode } from '@tapedeck/domain/vocabulary';
import { jsonType } from './responseHeaders.ts';
import type { FormatFailure } from './routing.ts';
import { pagePolicy } from './uploadPages.ts';

export const htmlType = 'text/html; charset=utf-8';

/** `write` returns null for errors without a page. */
export function formatAsPage(write: (code: ErrorCode) => string | null): FormatFailure {
  return ({ body }, { request, reply }) => {
    const page = wantsPage(request.headers.accept) ? write(body.code) : null;
    if (page === null) {
      reply.type(jsonType);
      return JSON.stringify(body);
    }
    reply.header('content-security-policy', pagePolicy).type(htmlType);
    return page;
  };
}

/** Treats clients that accept anything as programs. */
export function wantsPage(accept = ''): boolean {
  return accept.includes('text/html');
}
