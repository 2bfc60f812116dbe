/** A project's first page: whether all is well, what is new, how long storage lasts; first steps for an empty project. */
import { useParams } from '@tanstack/react-router';
import { useOnboarding } from '../../queries/onboarding.ts';
import { useProject } from '../../queries/projects.ts';
import { useMe } from '../../queries/session.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { NewestErrors } from './NewestErrors.tsx';
import { PinnedCharts } from './pinned/PinnedCharts.tsx';
import { StatusPanel } from './StatusPanel.tsx';
import { Onboarding } from './steps/Onboarding.tsx';
import { ErrorsTile } from './tiles/ErrorsTile.tsx';
import { MachineTile } from './tiles/MachineTile.tsx';
import { NewPatternsTile } from './tiles/NewPatternsTile.tsx';
import { RateTile } from './tiles/RateTile.tsx';
import { RulesTile } from './tiles/RulesTile.tsx';
import { ServersTile } from './tiles/ServersTile.tsx';
import { StorageTile } from './tiles/StorageTile.tsx';
import { UsagePanel } from './UsagePanel.tsx';

export function HomePage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/' });
  const project = useProject(slug);
  const { isOwner } = useMe();
  const taken = useOnboarding(slug);
  const isKnown = taken.hasLogs !== undefined && taken.hasFiles !== undefined;
  const isNew = isKnown && !(taken.hasLogs && taken.hasFiles);
  const isEmpty = isKnown && !taken.hasLogs && !taken.hasFiles;
  return (
    <>
      <PageHead title={project.name} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {isNew && <Onboarding key={slug} project={project} taken={taken} />}
        {!isEmpty && <StatusPanel project={slug} isOwner={isOwner} />}
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5 md:grid-cols-2 xl:grid-cols-3">
          {!isEmpty && (
            <>
              <ErrorsTile project={slug} />
              <RateTile project={slug} />
              <RulesTile project={slug} />
              <ServersTile project={slug} />
              <NewPatternsTile project={slug} />
              <StorageTile project={slug} isAlone={!isOwner} />
            </>
          )}
          {isOwner && <MachineTile />}
        </div>
        <PinnedCharts project={slug} />
        {!isEmpty && (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-8 pt-3">
            <NewestErrors project={slug} />
            <UsagePanel project={slug} />
          </div>
        )}
      </div>
    </>
  );
}
