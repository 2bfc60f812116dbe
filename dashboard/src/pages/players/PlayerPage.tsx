/** Shows a player: names, active hours and timeline, with an export of the evidence. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { type Subject, type SubjectKind, subjectQuery, useEvidence } from '../../queries/subjects.ts';
import { Button, styleButton } from '../../ui/Button.tsx';
import { useLastError } from '../../ui/hooks/useLastFailure.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { PageSpinner } from '../../ui/Spinner.tsx';
import { ActiveHours } from './ActiveHours.tsx';
import { PlayerFacts } from './PlayerFacts.tsx';
import { PlayerNotes } from './PlayerNotes.tsx';
import { PlayerTimeline } from './PlayerTimeline.tsx';
import type { PlayerSearch } from './search.ts';
import { nameKind, nameSubject } from './subjectNames.ts';
import { composeTimelineFilters } from './subjectQuestion.ts';

type PlayerPageProps = {
  project: string;
  kind: SubjectKind;
  id: string;
  search: PlayerSearch;
  change: (change: PlayerSearch) => void;
};

export function PlayerPage({ project, kind, id, search, change }: PlayerPageProps) {
  const found = useQuery(subjectQuery(project, { kind: kind.kind, id }));
  const { data: subject } = found;
  const error = useLastError(found, id);
  const evidence = useEvidence(project);
  const [isNoted, setIsNoted] = useState(false);
  const about = { kind: kind.kind, id };
  // Exports only what the timeline's filters show.
  const exportEvidence = () => {
    const asked = subject && composeTimelineFilters(kind, subject, search);
    if (asked) evidence.mutate({ ...asked, ...(isNoted && { notesAbout: about }) });
  };
  return (
    <>
      <PageHead
        title={subject ? nameSubject(subject) : id}
        about={`${nameKind(kind.kind)} ${id}`}
        actions={
          <>
            <Link to="/projects/$project/players" params={{ project }} search={{}} className={styleButton()}>
              All players
            </Link>
            <Button look="primary" disabled={!subject} busy={evidence.isPending} onClick={exportEvidence}>
              <Icon name="download" />
              Export as evidence
            </Button>
          </>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        {evidence.error && <Notice look="error">{evidence.error.message}</Notice>}
        {evidence.isSuccess && (
          <Notice look="plain">
            The archive is in your downloads. Anyone can check it with <code>tapedeck evidence verify</code>.
          </Notice>
        )}
        {error && <Notice look="error">{error.message}</Notice>}
        {!subject && !error && <PageSpinner />}
        <div className="grid items-start gap-6 lg:grid-cols-[18rem_minmax(0,1fr)]">
          <PlayerSummary
            project={project}
            subject={subject}
            about={about}
            isHandedOver={isNoted}
            onHandOver={setIsNoted}
          />
          {subject && (
            <PlayerTimeline
              project={project}
              kind={kind}
              subject={subject}
              search={search}
              onChange={change}
            />
          )}
        </div>
      </div>
    </>
  );
}

type PlayerSummaryProps = ComponentProps<typeof PlayerNotes> & { subject: Subject | undefined };

function PlayerSummary({ subject, ...notes }: PlayerSummaryProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {subject && (
        <>
          <PlayerFacts project={notes.project} subject={subject} />
          <Panel title="Active hours" about="By weekday and hour, in your time zone.">
            <ActiveHours hours={subject.hours} />
          </Panel>
        </>
      )}
      <PlayerNotes {...notes} />
    </div>
  );
}
