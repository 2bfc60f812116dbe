/** Saved log views: named searches that members create, change and delete for the whole project. */

import { listChanged } from '@tapedeck/values/changed-fields';
import { newId } from '@tapedeck/values/random-ids';
import { type Actor, describeActor, requireRole } from '../identity/principals.ts';
import type { LogView, Records } from '../ports/metadata.ts';
import { changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { findLivingProject } from '../projects/projects.ts';
import { ServiceError } from '../vocabulary.ts';

export const logViewsMax = 200; // more than anyone finds in a list

export async function listLogViews(
  { store }: Pick<ManagementDeps, 'store'>,
  project: string,
): Promise<LogView[]> {
  return store.read.logViews.list(project);
}

export async function createLogView(
  deps: ManagementDeps,
  actor: Actor,
  input: Pick<LogView, 'project' | 'name' | 'query'>,
): Promise<LogView> {
  const { project, name } = input;
  requireRole(actor, project, 'member');
  return changeManaged(deps, actor, async ({ records, now, audit }) => {
    await findLivingProject(records, project);
    if ((await records.logViews.list(project)).length >= logViewsMax) {
      const most = `A project keeps ${logViewsMax} views; remove one first.`;
      throw new ServiceError('invalid_field', most);
    }
    const view = { ...input, id: newId(), createdAt: now, createdBy: describeActor(actor) };
    await records.logViews.insert(view);
    await audit({ project, action: 'log_view.create', target: view.id, details: { name } });
    return view;
  });
}

export type ViewPlace = { project: string; id: string };

/** Absent fields stay unchanged. */
export async function updateLogView(
  deps: ManagementDeps,
  actor: Actor,
  { name, query, ...place }: ViewPlace & { name: string | undefined; query: string | undefined },
): Promise<LogView> {
  requireRole(actor, place.project, 'member');
  return changeManaged(deps, actor, async ({ records, audit }) => {
    const before = await requireView(records, place);
    const view = { ...before, name: name ?? before.name, query: query ?? before.query };
    await records.logViews.update(view);
    if (listChanged(before, view) === null) return view;
    const details = { name: before.name, ...(view.name !== before.name && { newName: view.name }) };
    await audit({ project: view.project, action: 'log_view.update', target: view.id, details });
    return view;
  });
}

export async function deleteLogView(deps: ManagementDeps, actor: Actor, place: ViewPlace): Promise<void> {
  requireRole(actor, place.project, 'member');
  await changeManaged(deps, actor, async ({ records, audit }) => {
    const view = await requireView(records, place);
    await records.logViews.remove(view.id);
    const { id, project, name } = view;
    await audit({ project, action: 'log_view.delete', target: id, details: { name } });
  });
}

/** Treats another project's view as absent. */
async function requireView({ logViews }: Records, { project, id }: ViewPlace): Promise<LogView> {
  const view = await logViews.find(id);
  if (view?.project === project) return view;
  throw new ServiceError('not_found', 'There is no such view; it may have been removed.');
}
