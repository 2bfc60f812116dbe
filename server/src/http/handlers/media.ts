/** Answers the public reading of media. */
import * as contract from '../../contract/media.ts';
import type { AccessDirectory } from '../../domain/access.ts';
import type { PublicFiles } from '../../domain/files/publicFiles.ts';
import { noFileError } from '../../domain/files/reading.ts';
import { type VariantMaker, type VariantWidth, variantWidths } from '../../domain/files/variants.ts';
import { ServiceError } from '../../vocabulary.ts';
import { composeHeaders, describeOriginal, describeVariant } from '../media/mediaContent.ts';
import { type ServingDeps, sendBytes } from '../media/mediaServing.ts';
import { type HandledRoute, handle } from '../registry.ts';

export type MediaDeps = ServingDeps & {
  access: AccessDirectory;
  publicFiles: PublicFiles;
  makeVariant: VariantMaker;
};

export function handleMedia(deps: MediaDeps): HandledRoute[] {
  return [
    handle(contract.readMedia, async ({ params, query, request, reply }) => {
      const file =
        deps.access.findProject(params.project) &&
        (await deps.publicFiles.find(params.project, params.key.normalize('NFC')));
      if (!file) throw noFileError();
      const width = query.w === undefined ? null : readWidth(query.w);
      const content =
        width === null
          ? describeOriginal(deps.blobs, file)
          : describeVariant(file, width, await deps.makeVariant(file, width));
      const headers = composeHeaders(file, content.mimeType, query.download === '1');
      return await sendBytes(deps, { request, reply }, { ...content, headers });
    }),
  ];
}

function readWidth(text: string): VariantWidth {
  const width = variantWidths.find(known => String(known) === text);
  if (width !== undefined) return width;
  throw new ServiceError('invalid_field', `w must be one of ${variantWidths.join(', ')}.`, { field: 'w' });
}
