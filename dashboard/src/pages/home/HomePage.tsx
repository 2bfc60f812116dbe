/** The first page of a project: whether all is well, what is new, how long the room lasts; first steps where nothing has arrived. */
import { useParams } from '@tanstack/react-router';
import { PageHead } from '../../parts/PageHead.tsx';
import { useFirstTakes } from '../../queries/firstTakes.ts';
import { useProject } from '../../queries/projects.ts';
import { useMe } from '../../queries/session.ts';
import { NewestErrors } from './NewestErrors.tsx';
import { FirstSteps } from './steps/FirstSteps.tsx';
import { ErrorsTile } from './tiles/ErrorsTile.tsx';
import { MachineTile } from './tiles/MachineTile.tsx';
import { NewsTile } from './tiles/NewsTile.tsx';
import { RateTile } from './tiles/RateTile.tsx';
import { RulesTile } from './tiles/RulesTile.tsx';
import { ServersTile } from './tiles/ServersTile.tsx';
import { StorageTile } from './tiles/StorageTile.tsx';
import { UsagePanel } from './UsagePanel.tsx';
import { VerdictPlate } from './VerdictPlate.tsx';

export function HomePage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/' });
  const project = useProject(slug);
  const { isOwner } = useMe();
  const taken = useFirstTakes(slug);
  const isKnown = taken.hasLogs !== undefined && taken.hasFiles !== undefined;
  const isNew = isKnown && !(taken.hasLogs && taken.hasFiles);
  const isEmpty = isKnown && !taken.hasLogs && !taken.hasFiles;
  return (
    <>
      <PageHead title={project.name} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {isNew && <FirstSteps key={slug} project={project} taken={taken} />}
        {!isEmpty && <VerdictPlate project={slug} isOwner={isOwner} />}
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5 md:grid-cols-2 xl:grid-cols-3">
          {!isEmpty && (
            <>
              <ErrorsTile project={slug} />
              <RateTile project={slug} />
              <RulesTile project={slug} />
              <ServersTile project={slug} />
              <NewsTile project={slug} />
              <StorageTile project={slug} isAlone={!isOwner} />
            </>
          )}
          {isOwner && <MachineTile />}
        </div>
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
