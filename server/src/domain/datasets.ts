/** How long the datasets of a project keep their log entries. */
import { ServiceError } from '../vocabulary.ts';
import { changeManaged, type ManagementDeps, recordAudit } from './management.ts';
import { type Actor, requireRole, unknownProject } from './principals.ts';

export type DatasetRetention = { project: string; dataset: string; days: number | null };

const datasetPattern = /^[A-Za-z0-9_.-]{1,64}$/; // CONTRACT.md, 4.1

/** null keeps for ever. Holds for what is stored from now on and for what is stored already. */
export async function setDatasetRetention(
  deps: ManagementDeps,
  actor: Actor,
  given: DatasetRetention,
): Promise<void> {
  const { project: slug, dataset, days } = given;
  if (!datasetPattern.test(dataset)) {
    throw new ServiceError('invalid_field', 'A dataset has 1 to 64 letters, digits, _, . or - for a name.');
  }
  requireRole(actor, slug, 'admin');
  const now = deps.clock.now();
  await changeManaged(deps, async records => {
    const project = await records.projects.find(slug);
    if (project === null || project.deletedAt !== null) throw unknownProject();
    const { [dataset]: _, ...others } = project.logRetention;
    const logRetention = days === null ? others : { ...others, [dataset]: days };
    await records.projects.update({ ...project, logRetention });
    const line = { project: slug, action: 'dataset.set', target: dataset, details: { retentionDays: days } };
    await recordAudit(records, { actor, now }, line);
  });
}
