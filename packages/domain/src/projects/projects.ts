/** Creates, changes and deletes projects. A slug is never reused. */

import { deleteNotifications, removeDeliveries } from '@tapedeck/alerting';
import { listChanged } from '@tapedeck/values/changed-fields';
import { type LibrarySettings, newLibrary, parseVisibilityRules } from '../files/librarySettings.ts';
import { keepForEver, type RetentionChanges } from '../files/retention.ts';
import {
  type Actor,
  ownsInstallation,
  requireRole,
  roleIn,
  unknownProjectError,
} from '../identity/principals.ts';
import type { Project, Records } from '../ports/metadata.ts';
import { readHostName, requireForeignDomain, requireFreeSlug } from '../reservedNames.ts';
import { noSubjects, parseKinds, type SubjectSettings } from '../subjects/kinds.ts';
import { defaultProject, invalidFieldError, limits, patterns, ServiceError } from '../vocabulary.ts';
import { type ChangeDeps, changeManaged, type ManagementDeps } from './auditedChanges.ts';

export type ProjectChanges = Partial<
  Pick<
    Project,
    | 'name'
    | 'cdnDomain'
    | 'cdnEnabled'
    | 'bytesMax'
    | 'filesMax'
    | keyof LibrarySettings
    | keyof SubjectSettings
  >
> & {
  /** Omitted media types stay as they are; folder rules are replaced as a whole. */
  retention?: RetentionChanges;
};

const slugCharactersMax = 32; // one part of a URL, and of a domain name

function newProject(slug: string, name: string, createdAt: number): Project {
  return {
    slug,
    name,
    cdnDomain: null,
    cdnEnabled: false,
    retention: keepForEver,
    logRetention: {},
    bytesMax: null,
    filesMax: null,
    createdAt,
    deletedAt: null,
    ...newLibrary,
    ...noSubjects,
  };
}

/** Creates the default project unless it exists. */
export async function ensureDefaultProject(deps: ChangeDeps): Promise<void> {
  if ((await deps.store.read.projects.find(defaultProject)) !== null) return;
  await changeManaged(deps, { kind: 'service' }, async ({ records, now }) => {
    if ((await records.projects.find(defaultProject)) !== null) return;
    await records.projects.insert(newProject(defaultProject, 'Default', now));
  });
}

export async function createProject(
  deps: ManagementDeps,
  actor: Actor,
  input: { name: string; slug: string | null },
): Promise<Project> {
  const project = newProject(input.slug ?? makeSlug(input.name), input.name, deps.clock.now());
  requireFreeSlug(project.slug);
  requireValidProject(project);
  await changeManaged(deps, actor, async ({ records, audit }) => {
    await records.projects.insert(project);
    await audit({ project: project.slug, action: 'project.create', target: project.slug });
  });
  return project;
}

export async function getProject(deps: Pick<ManagementDeps, 'store'>, slug: string): Promise<Project> {
  return findLivingProject(deps.store.read, slug);
}

/** Finds a project by its slug, or by its name when only one project has that name. */
export async function findProjectCalled(deps: Pick<ManagementDeps, 'store'>, word: string): Promise<Project> {
  const projects = await deps.store.read.projects.list();
  const found = projects.find(({ slug }) => slug === word);
  if (found !== undefined) return found;
  const [named, ...others] = projects.filter(({ name }) => name === word);
  if (named === undefined || others.length > 0) throw unknownProjectError();
  return named;
}

export async function listProjects(deps: Pick<ManagementDeps, 'store'>, actor: Actor): Promise<Project[]> {
  const projects = await deps.store.read.projects.list();
  return projects.filter(project => roleIn(actor, project.slug) !== null);
}

/** `ownHosts`: the service's own host names. */
export async function updateProject(
  deps: ManagementDeps & { ownHosts: readonly string[] },
  actor: Actor,
  input: { slug: string; changes: ProjectChanges },
): Promise<Project> {
  const { slug, changes } = input;
  return changeManaged(deps, actor, async ({ records, audit }) => {
    const before = await findLivingProject(records, slug);
    const after = applyChanges(before, changes);
    requireQuotasAllowed(actor, before, after);
    const isDomainNew = after.cdnDomain !== before.cdnDomain || (after.cdnEnabled && !before.cdnEnabled);
    if (after.cdnDomain !== null && isDomainNew) {
      requireForeignDomain(after.cdnDomain, deps.ownHosts);
      await requireOwnDomain(records, after);
    }
    await records.projects.update(after);
    const details = listChanged(before, after, Object.keys(changes));
    if (details !== null) await audit({ project: slug, action: 'project.update', target: slug, details });
    return after;
  });
}

export async function deleteProject(deps: ManagementDeps, actor: Actor, slug: string): Promise<void> {
  requireRole(actor, slug, 'owner');
  if (slug === defaultProject) {
    throw new ServiceError(
      'default_project',
      'The project "default" cannot be deleted: requests that name no project use it.',
    );
  }
  await findLivingProject(deps.store.read, slug);
  for (const { id } of await deps.store.read.channels.list(slug)) await removeDeliveries(deps.store, id);
  await changeManaged(deps, actor, async ({ records, now, audit }) => {
    const project = await findLivingProject(records, slug);
    await records.projects.update({ ...project, deletedAt: now, cdnEnabled: false });
    await deleteNotifications(records, slug);
    await records.logDeletions.record({ project: slug, dataset: null });
    const tokens = await records.tokens.list(slug);
    await records.tokens.revoke(
      tokens.map(({ id }) => id),
      now,
    );
    await audit({ project: slug, action: 'project.delete', target: slug });
  });
}

function applyChanges(
  project: Project,
  { retention, visibility, subjects, ...changes }: ProjectChanges,
): Project {
  const changed: Project = {
    ...project,
    ...changes,
    cdnDomain:
      changes.cdnDomain === undefined ? project.cdnDomain : (changes.cdnDomain?.toLowerCase() ?? null),
    retention: {
      days: { ...project.retention.days, ...retention?.days },
      folders: retention?.folders ?? project.retention.folders,
    },
    subjects: subjects === undefined ? project.subjects : parseKinds(subjects),
    visibility: visibility === undefined ? project.visibility : parseVisibilityRules(visibility),
  };
  requireValidProject(changed);
  if (changed.cdnEnabled && changed.cdnDomain === null) {
    throw invalidFieldError('cdnEnabled', 'cdnEnabled needs a cdnDomain.');
  }
  return changed;
}

/** Repeats the checks of requests, because the command line bypasses the contract. */
function requireValidProject({ slug, name, cdnDomain }: Project): void {
  const { nameCharactersMax } = limits;
  if (!new RegExp(patterns.name).test(name) || name.length > nameCharactersMax) {
    const sentence = `The name must have 1 to ${nameCharactersMax} characters on one line.`;
    throw invalidFieldError('name', sentence);
  }
  if (!new RegExp(patterns.slug).test(slug)) {
    throw invalidFieldError('slug', 'A slug may have up to 32 lower-case letters, digits and hyphens.');
  }
  if (cdnDomain !== null && !new RegExp(patterns.domain).test(cdnDomain)) {
    throw invalidFieldError('cdnDomain', 'The domain must be a host name, without https:// and path.');
  }
}

/** Only installation owners set quotas, because they pay for the disk. */
function requireQuotasAllowed(actor: Actor, before: Project, after: Project): void {
  if (before.bytesMax === after.bytesMax && before.filesMax === after.filesMax) return;
  if (ownsInstallation(actor)) return;
  throw new ServiceError('role_missing', 'Only installation owners can set the quotas of a project.');
}

/** Two projects with the same domain would serve each other's files. */
async function requireOwnDomain(records: Records, project: Project): Promise<void> {
  const hostOf = ({ cdnDomain }: Project) => cdnDomain && readHostName(cdnDomain);
  const host = hostOf(project);
  const projects = await records.projects.list();
  // Ignores the port, since requests may include it or not.
  if (projects.some(other => other.slug !== project.slug && hostOf(other) === host)) {
    throw new ServiceError('name_taken', `The domain ${project.cdnDomain} belongs to another project.`, {
      field: 'cdnDomain',
    });
  }
}

export async function findLivingProject(records: Records, slug: string): Promise<Project> {
  const project = await records.projects.find(slug);
  if (project === null || project.deletedAt !== null) throw unknownProjectError();
  return project;
}

function makeSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, slugCharactersMax)
    .replaceAll(/^-+|-+$/g, '');
  if (slug === '') {
    throw invalidFieldError('slug', 'No slug can be made from this name; give one of letters and digits.');
  }
  return slug;
}
