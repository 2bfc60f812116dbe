/** Accepts uploads from clients of Fivemerr, a service for game servers. */
import { makeFileUrls } from '@tapedeck/domain/files/naming';
import { permitByBoth, permitByScopes, permitType } from '@tapedeck/domain/files/permissions';
import { type FileDeps, upload } from '../handlers/files.ts';
import { type FormatFailure, type HandledRoute, handle } from '../routing.ts';
import { fivemerrUploads } from './contract.ts';

const forms = [
  'multipart/form-data',
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
] as const;
const fileNames = ['file', 'data'] as const;

export function handleFivemerrUploads(deps: FileDeps): HandledRoute[] {
  return fivemerrUploads.map(({ type, route }) => {
    const handled = handle(route, async ({ caller, request }) => {
      const { project, scopes } = caller;
      const file = await upload(deps, request, {
        options: { forms, partNames: [...fileNames, type], base64Names: fileNames },
        project,
        permission: permitByBoth(permitType(type), permitByScopes(scopes)),
      });
      return { url: makeFileUrls(deps, project, file).url, id: file.id };
    });
    return { ...handled, formatFailure: formatFivemerrFailure };
  });
}

/** Scripts check `success`, and show people the sentence under either name. */
const formatFivemerrFailure: FormatFailure = ({ body }) =>
  JSON.stringify({ success: false, message: body.error, ...body });
