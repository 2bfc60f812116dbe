/** Upload links that people make: each is bound to files by an id in their metadata, so its maker sees what arrived. */
import type { UserReader } from '../identity/principals.ts';
import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords } from '../ports/files.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import type { UploadLink } from '../ports/uploadLinks.ts';

/** The path of the metadata that names the link. */
export const uploadLinkPath = 'uploadLink';

const linksShown = 20; // as many as somebody looks back at
const rememberedDays = 90; // after a link expired: as long as its files are news

type LinkDeps = { store: MetadataStore; clock: Clock };

export async function rememberLink(
  { store, clock }: LinkDeps,
  { project, user }: UserReader,
  link: Omit<UploadLink, 'project' | 'makerId' | 'createdAt'>,
): Promise<void> {
  const now = clock.now();
  await store.write(async ({ uploadLinks }) => {
    await uploadLinks.forgetExpired(now - rememberedDays * dayMs);
    await uploadLinks.insert({ ...link, project: project.slug, makerId: user.id, createdAt: now });
  });
}

type UsedLink = UploadLink & { files: number; bytes: number };

/** The maker's own, newest first, with what is still there of what came through each. */
export async function listLinks(
  { store, files }: Pick<LinkDeps, 'store'> & { files: Pick<FileRecords, 'sumFiles'> },
  { project, user }: UserReader,
): Promise<UsedLink[]> {
  const whose = { project: project.slug, makerId: user.id };
  const links = await store.read.uploadLinks.listNewest(whose, linksShown);
  const ids = new Set(links.map(({ id }) => id));
  const sums = await files.sumFiles(project.slug, { path: uploadLinkPath, texts: ids });
  return links.map(link => ({ ...link, ...(sums.get(link.id) ?? { files: 0, bytes: 0 }) }));
}
