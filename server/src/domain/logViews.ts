/** Saved views of logs: questions with a name, made and removed by members for everybody in the project. */
import { ServiceError } from '../vocabulary.ts';
import { newId } from './ids.ts';
import { type ManagementDeps, recordAudit } from './management.ts';
import type { LogView, Records } from './ports/metadata.ts';
import { type Actor, describeActor, requireRole } from './principals.ts';
import { findLivingProject } from './projects.ts';

export const logViewsMax = 200; // beyond what anybody finds again in a list

type ViewDeps = Pick<ManagementDeps, 'store' | 'clock'>;

export async function listLogViews({ store }: Pick<ViewDeps, 'store'>, project: string): Promise<LogView[]> {
  return store.read.logViews.list(project);
}

export async function createLogView(
  { store, clock }: ViewDeps,
  actor: Actor,
  input: Pick<LogView, 'project' | 'name' | 'query'>,
): Promise<LogView> {
  const { project, name } = input;
  requireRole(actor, project, 'member');
  const now = clock.now();
  const view = { ...input, id: newId(), createdAt: now, createdBy: describeActor(actor) };
  await store.manage(async records => {
    await findLivingProject(records, project);
    if ((await records.logViews.list(project)).length >= logViewsMax) {
      const most = `A project keeps ${logViewsMax} views; remove one first.`;
      throw new ServiceError('invalid_field', most);
    }
    await records.logViews.insert(view);
    const line = { project, action: 'log_view.create', target: view.id, details: { name } };
    await recordAudit(records, { actor, now }, line);
  });
  return view;
}

export type ViewPlace = { project: string; id: string };

export async function replaceLogView(
  { store, clock }: ViewDeps,
  actor: Actor,
  { query, ...place }: ViewPlace & { query: string },
): Promise<LogView> {
  requireRole(actor, place.project, 'member');
  return store.manage(async records => {
    const view = await requireView(records, place);
    await records.logViews.replaceQuery(view.id, query);
    const line = { project: view.project, action: 'log_view.update', target: view.id };
    await recordAudit(records, { actor, now: clock.now() }, { ...line, details: { name: view.name } });
    return { ...view, query };
  });
}

export async function deleteLogView(
  { store, clock }: ViewDeps,
  actor: Actor,
  place: ViewPlace,
): Promise<void> {
  requireRole(actor, place.project, 'member');
  await store.manage(async records => {
    const view = await requireView(records, place);
    await records.logViews.remove(view.id);
    const line = { project: view.project, action: 'log_view.delete', target: view.id };
    await recordAudit(records, { actor, now: clock.now() }, { ...line, details: { name: view.name } });
  });
}

/** A view of another project is treated as absent. */
async function requireView({ logViews }: Records, { project, id }: ViewPlace): Promise<LogView> {
  const view = await logViews.find(id);
  if (view?.project === project) return view;
  throw new ServiceError('not_found', 'There is no such view; it may have been removed.');
}
