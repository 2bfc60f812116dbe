/** Lets callers change alert rules and channels: checks their role, and makes each change in one transaction with an audit log entry. */
import type { Editor } from '@tapedeck/alerting';
import { type Actor, describeActor, requireRole } from '../identity/principals.ts';
import { changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { findLivingProject } from '../projects/projects.ts';

export function makeEditor(deps: ManagementDeps, actor: Actor): Editor {
  return {
    requireRights: project => void requireRole(actor, project, 'admin'),
    change: work =>
      changeManaged(deps, actor, ({ records, now, audit }) =>
        work({
          records,
          now,
          audit,
          madeBy: describeActor(actor),
          requireProject: async project => void (await findLivingProject(records, project)),
        }),
      ),
  };
}
