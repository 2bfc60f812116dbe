/** Lists the newest errors, with one line for equal ones. A line links to all of them and opens the newest. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../format/numbers.ts';
import { errorDays, newestErrorsQuery } from '../../queries/errors.ts';
import { isAnswered } from '../../queries/isAnswered.ts';
import { logViewsQuery } from '../../queries/logViews.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toggleOnly } from '../logs/queryFilters.ts';

export function NewestErrors({ project }: { project: string }) {
  const { data = [] } = useQuery(newestErrorsQuery(project));
  // Pinned views are shown above, and would push the errors down.
  const views = useQuery(logViewsQuery(project));
  if (data.length === 0 || !isAnswered(views)) return null;
  const search = { level: 'error', range: `${errorDays}d` };
  return (
    <section className="grid gap-4" aria-label="Newest errors">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-lg font-semibold tracking-tight">Newest errors</h2>
        <Link
          to="/projects/$project/logs"
          params={{ project }}
          search={search}
          className="leading-[24px] text-sm underline decoration-edge underline-offset-3 hover:decoration-ink"
        >
          All of the last {errorDays} days
        </Link>
      </header>
      <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-panel shadow-panel">
        {data.map(({ newest: { traceId, timestamp, resource, body }, count, isWhole, values }) => (
          <li key={traceId}>
            <Link
              to="/projects/$project/logs"
              params={{ project }}
              search={{
                range: search.range,
                query: toggleOnly('level:error', 'pattern', values),
                entry: traceId,
              }}
              className="grid grid-cols-[minmax(0,1fr)] gap-x-4 px-4 py-2.5 text-sm hover:bg-well/60 focus-visible:-outline-offset-2 sm:px-5 md:grid-cols-[9rem_minmax(0,1fr)_auto]"
            >
              <span className="flex min-w-0 justify-between gap-4 text-muted md:contents">
                <Timestamp at={timestamp} />
                {resource !== '' && <span className="truncate md:hidden">{resource}</span>}
              </span>
              <span className="truncate font-mono text-[0.86em]">
                {resource !== '' && <span className="mr-3 text-muted max-md:hidden">{resource}</span>}
                {body}
              </span>
              <span className="text-muted tabular-nums">
                {count > 1 && `${formatCount(count)}${isWhole ? '' : '+'} times`}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
