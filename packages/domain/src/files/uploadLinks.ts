/** Upload links that users make. Files carry the link's id in their metadata, so the maker sees what arrived. */
import type { UserReader } from '../identity/principals.ts';
import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords } from '../ports/files.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import type { UploadLink } from '../ports/uploadLinks.ts';

/** The metadata path with the link's id. */
export const uploadLinkPath = 'uploadLink';

const linksShown = 20; // makers rarely look further back
const rememberedDays = 90; // after a link expires: as long as its files are of interest

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

/** Lists the user's own links, newest first, with the files from each that still exist. */
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
