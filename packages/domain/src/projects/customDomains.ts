/** Custom domains of projects, which serve files without `/media`. */
import type { Project } from '../ports/metadata.ts';
import { isOwnDomain, isReservedSlug } from '../reservedNames.ts';

export type DomainIndex = ReadonlyMap<string, Project>;

/** Skips old projects whose slug and domain are reserved by now: they would hide pages of the service. */
export function indexDomains(projects: Iterable<Project>, ownHosts: readonly string[]): DomainIndex {
  const domains = new Map<string, Project>();
  for (const project of projects) {
    const { slug, cdnDomain, cdnEnabled, deletedAt } = project;
    if (!cdnEnabled || deletedAt !== null || cdnDomain === null) continue;
    const isShadow = isReservedSlug(slug) && isOwnDomain(cdnDomain, ownHosts);
    if (!isShadow) domains.set(cdnDomain, project);
  }
  return domains;
}

export function rewritePath(domains: DomainIndex, path: string, host: string): string {
  const domain = host.toLowerCase();
  const project = domains.get(domain) ?? domains.get(domain.replace(/:\d+$/, ''));
  return project !== undefined && path.startsWith(`/${project.slug}/`) ? `/media${path}` : path;
}
