/** Handles public reads of media. */
import * as contract from '@tapedeck/contract/media';
import { noFileError } from '@tapedeck/domain/files/fileLookup';
import { isPrivate } from '@tapedeck/domain/files/librarySettings';
import { type LinkDeps, requireLink } from '@tapedeck/domain/files/links';
import type { PublicFiles } from '@tapedeck/domain/files/publicFiles';
import { normaliseForm, readForm } from '@tapedeck/domain/files/variantForms';
import type { VariantMaker } from '@tapedeck/domain/files/variants';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import { formatAsPage } from '../failurePages.ts';
import {
  describeDownload,
  describePrivate,
  describeVariant,
  type OriginalDescriber,
} from '../media/mediaContent.ts';
import { type ServingDeps, sendBytes } from '../media/mediaServing.ts';
import { type HandledRoute, handle } from '../routing.ts';
import { writeMissingFilePage } from '../uploadPages.ts';

export type MediaDeps = ServingDeps &
  LinkDeps & {
    access: AccessDirectory;
    publicFiles: PublicFiles;
    describeOriginal: OriginalDescriber;
    makeVariant: VariantMaker;
  };

export function handleMedia(deps: MediaDeps): HandledRoute[] {
  return [
    handle(contract.readMedia, async ({ params, query, request, reply }) => {
      const { project, key } = params;
      const settings = deps.access.findProject(project);
      if (settings === null) throw noFileError();
      const name = key.normalize('NFC');
      const file =
        deps.publicFiles.recall(`${project}/${name}`) ?? (await deps.publicFiles.find(project, name));
      if (file === null) throw noFileError();
      const isForFew = isPrivate(settings, file);
      if (isForFew) await requireLink(deps, file, query);
      const requestedForm = readForm(query);
      const form = requestedForm && normaliseForm(requestedForm, file);
      const served =
        form === null
          ? deps.describeOriginal(file)
          : describeVariant(file, form, await deps.makeVariant(file, form));
      const sent = query.download === '1' ? describeDownload(served, file) : served;
      return await sendBytes(deps, { request, reply }, isForFew ? describePrivate(sent) : sent);
    }),
  ].map(handled => ({ ...handled, formatFailure: formatAsPage(writeMissingFilePage) }));
}
