/** Searches players and other subjects, or shows one. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useProject } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { PlayerList } from './PlayerList.tsx';
import { PlayerPage } from './PlayerPage.tsx';
import { ProposedKinds } from './ProposedKinds.tsx';
import type { PlayerSearch } from './search.ts';

export function PlayersPage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/players' });
  const search = useSearch({ from: '/inside/projects/$project/players' });
  const navigate = useNavigate({ from: '/projects/$project/players' });
  const project = useProject(slug);
  const change = useCallback(
    (changed: PlayerSearch) =>
      void navigate({ search: before => ({ ...before, ...changed }), replace: true, resetScroll: false }),
    [navigate],
  );
  const kind = project.subjects.find(each => each.kind === search.kind);
  if (kind !== undefined && search.id !== undefined)
    return (
      <PlayerPage
        key={`${kind.kind} ${search.id}`}
        project={slug}
        kind={kind}
        search={search}
        change={change}
        id={search.id}
      />
    );
  return (
    <>
      <PageHead
        title="Players"
        about="Every player named in your logs and files. Find them by ID or by any name they have used."
      />
      <div className="grid gap-6">
        <ProposedKinds project={project} mayConfirm={isRoleAtLeast(project.role, 'admin')} />
        {project.subjects.length > 0 && <PlayerList project={project} search={search} onChange={change} />}
      </div>
    </>
  );
}
