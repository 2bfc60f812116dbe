/** A row of a timeline: an entry with a link to the logs, or a file with a link to its preview. */
import { Link } from '@tanstack/react-router';
import { isolate } from '../../format/direction.ts';
import { formatExact } from '../../format/times.ts';
import type { TimelineRow } from '../../queries/subjects.ts';
import { Thumbnail } from '../files/list/Thumbnail.tsx';
import { levelLooks } from '../logs/levels.ts';

type TimelineItemProps = {
  project: string;
  row: TimelineRow;
  query: string;
  /** Narrows timeline and export to the hour before the row. */
  onHourBefore: (span: { from: string; to: string }) => void;
};

const hourMs = 3_600_000;

export function TimelineItem({ project, row, query, onHourBefore }: TimelineItemProps) {
  const time = formatExact(row.timestamp);
  const from = new Date(Date.parse(row.timestamp) - hourMs).toISOString();
  return (
    <li className="grid gap-x-4 gap-y-1 py-2.5 text-sm sm:grid-cols-[11rem_minmax(0,1fr)]">
      <div className="flex flex-wrap items-center gap-x-3 text-muted">
        <time dateTime={row.timestamp}>{time}</time>
        <button
          type="button"
          aria-label={`Show the hour before ${time}`}
          onClick={() => onHourBefore({ from, to: row.timestamp })}
          className={linkStyle}
        >
          Hour before
        </button>
      </div>
      {row.kind === 'file' ? (
        <File project={project} file={row} />
      ) : (
        <Entry project={project} query={query} entry={row} />
      )}
    </li>
  );
}

type FileRow = Extract<TimelineRow, { kind: 'file' }>;
type EntryRow = Extract<TimelineRow, { kind: 'entry' }>;

const shownCharactersMax = 300; // the logs show the rest

/** Returns the first line, without a stack trace below. */
function firstLineOf(body: string): string {
  return (body.trimStart().split('\n', 1)[0] ?? '').slice(0, shownCharactersMax);
}

const linkStyle =
  'inline-block min-h-6 wrap-anywhere underline decoration-edge underline-offset-3 hover:decoration-ink';

function File({ project, file }: { project: string; file: FileRow }) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-3">
      <Thumbnail project={project} file={file} className="h-16 w-24 rounded-md border border-line" />
      <Link
        to="/projects/$project/files"
        params={{ project }}
        search={{ file: file.id }}
        className={linkStyle}
      >
        {file.filename}
      </Link>
      {file.visibility === 'private' && <span className="text-muted">private</span>}
    </div>
  );
}

function Entry({ project, entry, query }: { project: string; entry: EntryRow; query: string }) {
  const { level, resource, body, traceId } = entry;
  const search = { query, entry: traceId, range: 'all' };
  return (
    <p className="flex min-w-0 items-baseline gap-x-2 phone:flex-wrap">
      <span className={`font-mono text-[0.78rem] ${levelLooks[level].text}`}>{level}</span>
      {resource !== '' && (
        <span className="max-w-48 shrink-0 truncate text-muted" title={isolate(resource)}>
          {isolate(resource)}
        </span>
      )}
      <Link
        to="/projects/$project/logs"
        params={{ project }}
        search={search}
        className="line-clamp-2 min-h-6 wrap-anywhere hover:underline phone:min-h-11 phone:w-full"
      >
        {body === '' ? 'No text' : firstLineOf(body)}
      </Link>
    </p>
  );
}
