/** Lists a player's log entries and files, newest first, filtered by kind, resource and time. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { isolate } from '../../format/direction.ts';
import { writeMoment } from '../../format/timeParsing.ts';
import { type Subject, type SubjectKind, timelineQuery } from '../../queries/subjects.ts';
import { Button } from '../../ui/Button.tsx';
import { describeUnreadable, MomentField, readBound } from '../../ui/forms/MomentField.tsx';
import { Select } from '../../ui/forms/Select.tsx';
import { useDebouncedInput } from '../../ui/hooks/useDebouncedInput.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { PageSpinner } from '../../ui/Spinner.tsx';
import type { PlayerSearch } from './search.ts';
import { composeTimelineFilters, listAskedIds } from './subjectQuestion.ts';
import { TimelineItem } from './TimelineItem.tsx';

type Change = (change: PlayerSearch) => void;
type PlayerTimelineProps = {
  project: string;
  kind: SubjectKind;
  subject: Subject;
  search: PlayerSearch;
  onChange: Change;
};

export function PlayerTimeline({ project, kind, subject, search, onChange }: PlayerTimelineProps) {
  const { resource, rows, from, to } = search;
  const asked = composeTimelineFilters(kind, subject, search);
  const pages = useInfiniteQuery(timelineQuery(project, asked));
  const items = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Panel title="Timeline" about={describeTimeline(listAskedIds(kind, subject))}>
      <div className="@container grid grid-cols-[minmax(0,1fr)] gap-4">
        <Filters subject={subject} search={search} onChange={onChange} />
        {[rows, from, to, resource].some(filter => filter !== undefined) && <Narrowed onChange={onChange} />}
        {subject.otherIdsPending && (
          <Notice look="plain">
            Still looking for other IDs of this player. Their entries and files will appear here.
          </Notice>
        )}
        {pages.error && <Notice look="error">{pages.error.message}</Notice>}
        {pages.isPending && <PageSpinner />}
        {pages.isSuccess && items.length === 0 && (
          <p className="text-sm text-muted">Nothing matches these filters.</p>
        )}
        <ol className="grid grid-cols-[minmax(0,1fr)] divide-y divide-line" aria-label="Timeline">
          {items.map(row => (
            <TimelineItem
              key={row.kind === 'file' ? row.id : row.traceId}
              project={project}
              row={row}
              query={asked.query}
              // Shows everything from that hour, by clearing filters that would hide it.
              onHourBefore={span => onChange({ ...span, resource: undefined, rows: undefined })}
            />
          ))}
        </ol>
        {pages.hasNextPage && (
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show older
          </Button>
        )}
      </div>
    </Panel>
  );
}

function describeTimeline(ids: readonly string[]): string {
  if (ids.length <= 1) return 'Log entries and files, newest first.';
  return `Log entries and files of ${ids.map(isolate).join(', ')}, newest first.`;
}

/** Explains how filters affect the evidence, whose button may be out of sight. */
function Narrowed({ onChange }: { onChange: Change }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
      “Export as evidence” contains only what these filters show.
      <Button
        size="small"
        onClick={() => onChange({ from: undefined, to: undefined, resource: undefined, rows: undefined })}
      >
        Show everything
      </Button>
    </p>
  );
}

const kinds = [
  { value: '', label: 'Logs and files' },
  { value: 'entry', label: 'Logs' },
  { value: 'file', label: 'Files' },
  { value: 'image', label: 'Pictures' },
  { value: 'video', label: 'Videos' },
  { value: 'audio', label: 'Audio' },
] as const;

function Filters({
  subject,
  search,
  onChange,
}: Pick<PlayerTimelineProps, 'subject' | 'search' | 'onChange'>) {
  const resources = [
    { value: '', label: 'All resources' },
    ...subject.resources.map(({ resource }) => ({ value: resource, label: resource })),
  ];
  return (
    <div className="grid grid-cols-2 gap-3 phone:*:nth-[n+3]:col-span-2 @4xl:grid-cols-[1fr_1fr_1.4fr_1.4fr]">
      <span className="grid content-start gap-1.5">
        <span className="text-sm font-medium" id="timeline-kind">
          Show
        </span>
        <Select
          aria-labelledby="timeline-kind"
          value={search.rows ?? ''}
          options={kinds}
          onChange={rows => onChange({ rows: rows === '' ? undefined : rows })}
        />
      </span>
      <span className="grid content-start gap-1.5">
        <span className="text-sm font-medium" id="timeline-resource">
          Resource
        </span>
        <Select
          aria-labelledby="timeline-resource"
          value={search.resource ?? ''}
          options={resources}
          onChange={resource => onChange({ resource: resource === '' ? undefined : resource })}
        />
      </span>
      <Moment label="From" at={search.from} onChange={from => onChange({ from })} />
      <Moment label="To" at={search.to} onChange={to => onChange({ to })} />
    </div>
  );
}

type MomentProps = { label: string; at: string | undefined; onChange: (at: string | undefined) => void };

/** Ignores invalid times. */
function Moment({ label, at, onChange }: MomentProps) {
  const { typed, setTyped } = useDebouncedInput(at === undefined ? '' : writeMoment(at), text => {
    const moment = readBound(text).at;
    onChange(moment === null ? undefined : new Date(moment).toISOString());
  });
  const error = readBound(typed).isWrong ? describeUnreadable() : null;
  return <MomentField label={label} error={error} value={typed} onChange={setTyped} hint={null} />;
}
