/** Handles presigned URLs opened in a browser. */
import { openUploadPage } from '@tapedeck/contract/fileActions';
import { readPresignedToken, requireUsesLeft } from '@tapedeck/domain/files/presigned';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { formatAsPage, htmlType, wantsPage } from '../failurePages.ts';
import { type HandledRoute, handle } from '../routing.ts';
import { pagePolicy, writeDeadPage, writeUploadPage } from '../uploadPages.ts';
import type { FileDeps } from './fileRecords.ts';

export function handleUploadPage(deps: FileDeps): HandledRoute {
  const handled = handle(openUploadPage, async ({ params, request, reply }) => {
    if (!wantsPage(request.headers.accept)) {
      reply.header('allow', 'POST, PUT, OPTIONS');
      throw new ServiceError('method_not_allowed', 'Upload with POST or PUT, or open this URL in a browser.');
    }
    const { grant, project } = await readPresignedToken(deps, params.token);
    request.project = project.slug;
    const usesLeft = await requireUsesLeft(deps, grant);
    const bytesMax = Math.min(grant.bytesMax ?? Number.POSITIVE_INFINITY, deps.fileSizeBytesMax);
    reply.header('content-security-policy', pagePolicy).header('cache-control', 'no-store').type(htmlType);
    const { type, path, expiresAt } = grant;
    return writeUploadPage({ project: project.name, type, path, expiresAt, usesLeft, bytesMax });
  });
  return { ...handled, formatFailure: formatAsPage(writeDeadPage) };
}
