/** The figures of a project, in a row like the counters of a deck. Each leads to where it is changed. */
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Moment } from '../../parts/Moment.tsx';
import type { Member } from '../../queries/members.ts';
import type { Project } from '../../queries/projects.ts';
import type { Token } from '../../queries/tokens.ts';
import { formatSize } from '../../text/sizes.ts';

type FactsProps = { project: Project; tokens: readonly Token[]; members: readonly Member[] };

export function Facts({ project, tokens, members }: FactsProps) {
  const params = { project: project.project };
  const lastUsedAt = tokens.map(token => token.lastUsedAt).reduce(laterOf, null);
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line shadow-panel lg:grid-cols-4">
      <Fact
        name="Tokens"
        link={{ to: '/projects/$project/tokens', params }}
        note={
          lastUsedAt ? (
            <>
              Last used <Moment at={lastUsedAt} />
            </>
          ) : (
            'None used yet'
          )
        }
      >
        {tokens.length}
      </Fact>
      <Fact
        name="Members"
        link={{ to: '/projects/$project/members', params }}
        note="and the owners of the installation"
      >
        {members.length}
      </Fact>
      <Fact
        name="Media kept"
        link={{ to: '/projects/$project/settings', params }}
        note={describeFolders(project)}
      >
        {describeRetention(project)}
      </Fact>
      <Fact name="Quota" link={{ to: '/projects/$project/settings', params }} note={describeFiles(project)}>
        {project.bytesMax === null ? 'No limit' : formatSize(project.bytesMax)}
      </Fact>
    </dl>
  );
}

type FactProps = {
  name: string;
  link: Pick<LinkProps, 'to' | 'params'>;
  note: ReactNode;
  children: ReactNode;
};

function Fact({ name, link, note, children }: FactProps) {
  return (
    <div className="relative grid content-start gap-1 bg-panel px-5 py-4 transition-colors hover:bg-well/60">
      <dt className="engraved">
        <Link {...link} className="inline-block min-h-[24px] after:absolute after:inset-0">
          {name}
        </Link>
      </dt>
      <dd className="grid gap-0.5">
        <span className="text-xl font-semibold tracking-tight tabular-nums">{children}</span>
        <span className="text-sm text-muted">{note}</span>
      </dd>
    </div>
  );
}

function laterOf(one: string | null, other: string | null): string | null {
  return one === null || (other !== null && other > one) ? other : one;
}

function describeRetention({ retention: { image, video, audio } }: Project): string {
  const days = [image, video, audio];
  if (days.every(each => each === null)) return 'For ever';
  const [first] = days;
  if (first !== null && days.every(each => each === first)) return `${first} days`;
  return days.map(each => (each === null ? '∞' : each)).join(' · ');
}

function describeFolders({ retention }: Project): string {
  const { image, video, audio, folders } = retention;
  const isMixed = new Set([image, video, audio]).size > 1;
  const rules = folders.length === 1 ? '1 folder rule' : `${folders.length} folder rules`;
  if (isMixed) return `days: image · video · audio${folders.length > 0 ? `; ${rules}` : ''}`;
  return folders.length > 0 ? `and ${rules}` : 'images, video and audio';
}

function describeFiles({ filesMax }: Project): string {
  if (filesMax === null) return 'and as many files as fit';
  return `and ${filesMax.toLocaleString('en')} files at most`;
}
