/** Shows the audit log as sentences, grouped by day. Loads older ones on request. */
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { formatDay, formatExact, formatTime } from '../../format/times.ts';
import { type AuditEntry, auditQuery } from '../../queries/audit.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { describeEntry, type People } from './sentences.ts';

type AuditTrailProps = { project: string | null; people: People };

export function AuditTrail({ project, people }: AuditTrailProps) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(
    auditQuery(project),
  );
  const entries = data.pages.flatMap(page => page.entries);
  if (entries.length === 0) {
    return <EmptyState title="Nothing changed yet">Changes are recorded here.</EmptyState>;
  }
  return (
    <div className="grid max-w-4xl gap-7">
      {groupByDay(entries).map(([day, ofDay]) => (
        <section key={day} className="grid gap-2.5">
          <h2 className="engraved">{day}</h2>
          <ol className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-panel shadow-panel">
            {ofDay.map(entry => (
              <Entry key={entry.id} entry={entry} people={people} showProject={project === null} />
            ))}
          </ol>
        </section>
      ))}
      {error && <Notice look="error">{error.message}</Notice>}
      {hasNextPage && (
        <Button
          className="justify-self-center"
          busy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </div>
  );
}

type EntryProps = { entry: AuditEntry; people: People; showProject: boolean };

function Entry({ entry, people, showProject }: EntryProps) {
  const { actor, deed, details } = describeEntry(entry, people);
  const place = showProject && entry.project !== entry.target ? entry.project : null;
  return (
    <li className="grid grid-cols-[max-content_1fr] gap-3 px-4 py-3 text-sm sm:px-5">
      <time
        dateTime={entry.at}
        title={formatExact(entry.at)}
        className="pt-0.5 font-mono text-[0.8rem] whitespace-nowrap text-muted tabular-nums"
      >
        {formatTime(entry.at)}
      </time>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
        <p className="break-words">
          <span className="font-medium">{actor}</span> {deed}
        </p>
        {(details.length > 0 || place !== null) && (
          <p className="flex flex-wrap gap-1.5">
            {place !== null && <Badge look="strong">{place}</Badge>}
            {details.map(detail => (
              <Badge key={detail}>{detail}</Badge>
            ))}
          </p>
        )}
      </div>
    </li>
  );
}

function groupByDay(entries: readonly AuditEntry[]): [string, AuditEntry[]][] {
  const days = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    const day = formatDay(entry.at);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}
