/** Handles the project routes. */
import * as contract from '@tapedeck/contract/projects';
import type { BodyOf } from '@tapedeck/contract/route';
import { requireRole } from '@tapedeck/domain/identity/principals';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import * as projects from '@tapedeck/domain/projects/projects';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { writeProject } from './jsonRecords.ts';

export type ProjectDeps = ManagementDeps & { ownHosts: readonly string[] };

export function handleProjects(deps: ProjectDeps): HandledRoute[] {
  return [
    handle(contract.listProjects, async ({ caller }) => ({
      projects: (await projects.listProjects(deps, caller)).map(project =>
        writeProject(project, requireRole(caller, project.slug, 'viewer')),
      ),
    })),
    handle(contract.createProject, async ({ body, caller }) => {
      const project = await projects.createProject(deps, caller, {
        name: body.name,
        slug: body.slug ?? null,
      });
      return { project: writeProject(project, 'owner') };
    }),
    handle(contract.getProject, async ({ params, caller }) => {
      const project = await projects.getProject(deps, params.project);
      return { project: writeProject(project, requireRole(caller, params.project, 'viewer')) };
    }),
    handle(contract.updateProject, async ({ params, body, caller }) => {
      const role = requireRole(caller, params.project, 'admin');
      const input = { slug: params.project, changes: readChanges(body) };
      return { project: writeProject(await projects.updateProject(deps, caller, input), role) };
    }),
    handle(contract.deleteProject, async ({ params, caller }) => {
      await projects.deleteProject(deps, caller, params.project);
      return ok;
    }),
  ];
}

function readChanges({
  retention,
  ...changes
}: BodyOf<typeof contract.updateProject>): projects.ProjectChanges {
  if (retention === undefined) return changes;
  const { folders, ...days } = retention;
  const rules = folders?.map(({ path, days: kept }) => ({ prefix: path, days: kept }));
  return { ...changes, retention: { days, ...(rules && { folders: rules }) } };
}
