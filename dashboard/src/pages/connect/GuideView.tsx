/** Guides through one tool: its token, its settings, and its first data. */
import { type Connection, type Guide, placeholderOf } from '@tapedeck/guides';
import { type ReactNode, useState } from 'react';
import type { Project } from '../../queries/projects.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Arrival } from './Arrival.tsx';
import type { MadeToken } from './madeToken.ts';
import { NoteText } from './NoteText.tsx';
import { ShareXButton } from './ShareXButton.tsx';
import { SnippetBlock } from './SnippetBlock.tsx';
import { TokenStep } from './TokenStep.tsx';

type GuideViewProps = {
  guide: Guide;
  project: Project;
  made: MadeToken | null;
  onMade: (token: MadeToken | null) => void;
};

export function GuideView({ guide, project, made, onMade }: GuideViewProps) {
  const [place, setPlace] = useState({
    address: window.location.origin,
    dataset: made?.dataset ?? 'default',
    folder: made?.folder ?? '',
  });
  const connection: Connection = {
    ...place,
    address: place.address.replace(/\/+$/, ''),
    dataset: place.dataset || 'default',
    token: made?.text ?? placeholderOf(guide),
  };
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <Step number={1} title="Token" badges={[guide.token.kind, ...guide.token.actions]}>
        <TokenStep
          guide={guide}
          project={project}
          place={place}
          made={made}
          onMade={onMade}
          onPlace={setPlace}
        />
      </Step>
      <Step number={2} title="Settings">
        {guide.id === 'sharex' && made === null && <ShareXButton project={project} folder={place.folder} />}
        {guide.install && <SnippetBlock name="Install" language="sh" text={guide.install} />}
        {guide.snippets.map(({ name, language, isFile, write }) => (
          <SnippetBlock
            key={name}
            name={name}
            language={language}
            text={write(connection)}
            isFile={isFile === true}
            token={connection.token}
            isReady={made !== null}
          />
        ))}
      </Step>
      <Step number={3} title="Try it">
        <SnippetBlock
          name={guide.test.name}
          language={guide.test.language}
          text={guide.test.write(connection)}
          token={connection.token}
          isReady={made !== null}
        />
        <Arrival guide={guide} project={project.project} made={made} />
      </Step>
      {guide.notes.length > 0 && <Notes notes={guide.notes} project={project.project} />}
    </ol>
  );
}

function Notes({ notes, project }: { notes: Guide['notes']; project: string }) {
  return (
    <li className="grid list-none gap-3 rounded-xl border border-line px-5 py-5 sm:px-6">
      <h2 className="font-semibold tracking-tight">If something is wrong</h2>
      <dl className="grid gap-3 text-sm">
        {notes.map(({ sees, means }) => (
          <div key={sees}>
            <dt className="font-medium">{sees}</dt>
            <dd className="text-pretty text-muted">
              <NoteText text={means} project={project} />
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

type StepProps = { number: number; title: string; badges?: readonly string[]; children: ReactNode };

function Step({ number, title, badges = [], children }: StepProps) {
  return (
    <li className="list-none overflow-hidden rounded-xl border border-line bg-panel shadow-panel">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-5 pt-5 sm:px-6">
        <span
          aria-hidden="true"
          className="grid size-7 place-items-center rounded-full border border-accent/60 font-mono text-sm text-accent"
        >
          {number}
        </span>
        <h2 className="font-semibold tracking-tight">{title}</h2>
        <span className="flex flex-wrap gap-1.5">
          {badges.map(badge => (
            <Badge key={badge}>{badge}</Badge>
          ))}
        </span>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-5 pt-4 pb-5 sm:px-6">{children}</div>
    </li>
  );
}
