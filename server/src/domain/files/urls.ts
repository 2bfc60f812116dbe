/** The URLs of a file, computed when they are read: switching the CDN domain changes them at once. */

import { encodeKey } from '@tapedeck/percent-encoding';
import type { StoredFile } from '../ports/files.ts';
import type { Project } from '../ports/metadata.ts';

export type UrlDeps = {
  publicUrl(): string;
  /** The prefix under which a bucket is served directly; null: this service serves it. */
  blobsPublicUrl: string | null;
};

type FileUrls = { url: string; originalUrl: string };

export function makeFileUrls(deps: UrlDeps, project: Project, { key }: Pick<StoredFile, 'key'>): FileUrls {
  const place = `${project.slug}/${encodeKey(key)}`;
  const originalUrl = `${deps.blobsPublicUrl ?? `${deps.publicUrl()}/media`}/${place}`;
  const hasOwnDomain = project.cdnEnabled && project.cdnDomain !== null;
  return { url: hasOwnDomain ? `https://${project.cdnDomain}/${place}` : originalUrl, originalUrl };
}
