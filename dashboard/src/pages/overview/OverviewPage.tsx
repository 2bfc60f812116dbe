/** The project at a glance, and the first steps with it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { PageHead } from '../../parts/PageHead.tsx';
import { useFirstTakes } from '../../queries/firstTakes.ts';
import { membersQuery } from '../../queries/members.ts';
import { useProject } from '../../queries/projects.ts';
import { tokensQuery } from '../../queries/tokens.ts';
import { Facts } from './Facts.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { NewestErrors } from './NewestErrors.tsx';
import { UsagePanel } from './UsagePanel.tsx';

export function OverviewPage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/' });
  const project = useProject(slug);
  const { data: tokens } = useSuspenseQuery(tokensQuery(slug));
  const { data: members } = useSuspenseQuery(membersQuery(slug));
  const taken = useFirstTakes(slug);
  const isKnown = taken.hasLogs !== undefined && taken.hasFiles !== undefined;
  return (
    <>
      <PageHead title={project.name} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
        <Facts project={project} tokens={tokens} members={members} />
        <UsagePanel project={slug} />
        <NewestErrors project={slug} />
        {isKnown && <FirstSteps key={slug} project={project} taken={taken} />}
      </div>
    </>
  );
}
