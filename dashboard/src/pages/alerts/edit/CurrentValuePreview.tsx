/** Shows the current values for rules that do not count entries. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isolate } from '../../../format/direction.ts';
import { countThings, formatCount } from '../../../format/numbers.ts';
import { formatBytes } from '../../../format/sizes.ts';
import { formatDayTime } from '../../../format/times.ts';
import { patternsQuery } from '../../../queries/logPatterns.ts';
import { useProject } from '../../../queries/projects.ts';
import { liveSessionsQuery } from '../../../queries/sessions.ts';
import { usageQuery } from '../../../queries/usage.ts';
import { Template } from '../../logs/patterns/Template.tsx';
import { composeLogQuestion, keyOf } from '../../logs/search.ts';
import { nameSession } from '../../sessions/columns.tsx';
import { isOfPatterns, type RuleDraft } from './draft.ts';
import type { RulePreviewState } from './preview.ts';

const shownMax = 5;

type CurrentValuePreviewProps = { project: string; draft: RuleDraft; previewState: RulePreviewState };

export function CurrentValuePreview({ project, draft, previewState }: CurrentValuePreviewProps) {
  if (isOfPatterns(draft.want))
    return <NewPatterns project={project} draft={draft} previewState={previewState} />;
  return draft.want === 'quiet' ? <Servers project={project} /> : <Quotas project={project} />;
}

function PreviewCard({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section
      aria-label="Current state"
      className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-xl border border-line bg-panel px-4 py-3 text-sm shadow-panel"
    >
      <p role="status">{title}</p>
      {children}
    </section>
  );
}

function NewPatterns({ project, draft, previewState }: CurrentValuePreviewProps) {
  const isOfIssues = draft.want === 'issue';
  const query = isOfIssues
    ? ['level:error', draft.query && `(${draft.query})`].join(' ').trim()
    : draft.query;
  const search = { dataset: draft.dataset || undefined, query: query || undefined, range: '7d' };
  const asking = { key: keyOf(search), question: () => composeLogQuestion(search, Date.now()) };
  const { data, error } = useQuery(patternsQuery(project, { ...asking, isNew: true, isFollowed: false }));
  const fired = previewState.preview?.fired;
  if (data === undefined || fired === undefined)
    return <PreviewCard title={(error ?? previewState.error)?.message ?? 'Checking the last week…'} />;
  const things = isOfIssues ? 'issues' : 'patterns';
  if (fired === 0) return <PreviewCard title={`Would not have fired in the last week: no new ${things}.`} />;
  const newest = data.data.toSorted(
    (one, other) => Date.parse(other.firstSeenAt) - Date.parse(one.firstSeenAt),
  );
  return (
    <PreviewCard
      title={`Would have fired ${countThings(fired, 'time')} in the last week${isOfIssues ? ', apart from issues that came back' : ''}. Latest ${things}:`}
    >
      <ul className="grid gap-1">
        {newest.slice(0, shownMax).map(found => (
          <li key={found.pattern} className="flex flex-wrap items-baseline gap-x-3">
            <time dateTime={found.firstSeenAt} className="font-mono text-[0.78rem] text-muted">
              {formatDayTime(found.firstSeenAt)}
            </time>
            <bdi className="min-w-0 font-mono text-[0.8rem] wrap-anywhere">
              <Template found={found} />
            </bdi>
          </li>
        ))}
      </ul>
    </PreviewCard>
  );
}

function Servers({ project }: { project: string }) {
  const { data, error } = useQuery(liveSessionsQuery(project));
  if (data === undefined) return <PreviewCard title={error?.message ?? 'Loading…'} />;
  if (data.length === 0)
    return <PreviewCard title="No servers are reporting. New ones are included automatically." />;
  const names = data.slice(0, shownMax).map(session => isolate(nameSession(session)[0]));
  const others = data.length - names.length;
  const listed = `${names.join(', ')}${others > 0 ? ` and ${formatCount(others)} more` : ''}`;
  return (
    <PreviewCard
      title={`${countThings(data.length, 'server is reporting', 'servers are reporting')}: ${listed}.`}
    />
  );
}

function Quotas({ project: slug }: { project: string }) {
  const { bytesMax, filesMax } = useProject(slug);
  const { data } = useQuery(usageQuery(slug));
  if (bytesMax === null && filesMax === null) {
    return (
      <PreviewCard title="This project has no quota, so this rule can’t fire.">
        <Link
          to="/projects/$project/settings"
          params={{ project: slug }}
          className="justify-self-start underline decoration-edge underline-offset-3 hover:decoration-ink"
        >
          Set a quota
        </Link>
      </PreviewCard>
    );
  }
  if (data === undefined) return <PreviewCard title="Loading…" />;
  const { bytes, files } = data.totals;
  const share = (used: number, most: number) => `${((used / most) * 100).toFixed(0)} %`;
  const told = [
    ...(bytesMax === null
      ? []
      : [`${share(bytes, bytesMax)} of the storage (${formatBytes(bytes)} of ${formatBytes(bytesMax)})`]),
    ...(filesMax === null
      ? []
      : [`${share(files, filesMax)} of the files (${formatCount(files)} of ${formatCount(filesMax)})`]),
  ];
  return <PreviewCard title={`In use: ${told.join(', ')}.`} />;
}
