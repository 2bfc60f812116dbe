/** Shows a project's storage, in total and by day. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { countThings, formatCount, formatShort } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import { newestErrorsQuery } from '../../queries/errors.ts';
import { hoursQuery, newsQuery } from '../../queries/home.ts';
import { isAnswered } from '../../queries/isAnswered.ts';
import { logViewsQuery } from '../../queries/logViews.ts';
import { storageQuery } from '../../queries/storage.ts';
import { type Usage, usageQuery } from '../../queries/usage.ts';
import { Notice } from '../../ui/Notice.tsx';
import { DayChart } from './DayChart.tsx';

export function UsagePanel({ project }: { project: string }) {
  // Load the panels above first.
  const above = [
    useQuery(hoursQuery(project)),
    useQuery(newsQuery(project)),
    useQuery(storageQuery(project)),
  ];
  const enabled = above.every(({ isFetched }) => isFetched);
  const { data, error } = useQuery({ ...usageQuery(project), enabled });
  // Panels that are shown only if they have something to show. They would push this one down.
  const optional = [useQuery(logViewsQuery(project)), useQuery(newestErrorsQuery(project))];
  if (!optional.every(isAnswered)) return null;
  return (
    <section className="grid gap-4" aria-label="Usage" aria-busy={!data && !error}>
      <h2 className="text-lg font-semibold tracking-tight">Usage</h2>
      {error ? (
        <Notice look="error">{error.message}</Notice>
      ) : (
        <UsageCharts project={project} usage={data ?? null} />
      )}
    </section>
  );
}

type Day = Usage['days'][number];
const noDays: readonly Day[] = [];

/** Takes up its final space while loading, so that nothing below moves. */
function UsageCharts({ project, usage }: { project: string; usage: Usage | null }) {
  const navigate = useNavigate();
  const days = usage?.days ?? noDays;
  const params = { project };
  const searchLogs = (fromMs: number, toMs: number) => {
    const search = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    void navigate({ to: '/projects/$project/logs', params, search });
  };
  return (
    <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      <DayChart
        title="Log entries"
        link={{ to: '/projects/$project/logs', params, search: { range: '30d' } }}
        total={usage && formatCount(usage.totals.entries)}
        note={usage && `in total, ${formatBytes(usage.totals.logBytes)} on disk`}
        days={days}
        variable="--level-info"
        amountOf={day => day.entries}
        formatDay={day => `${countThings(day.entries, 'entry', 'entries')}${describeDatasets(day)}`}
        formatValue={formatShort}
        onSpan={searchLogs}
      />
      <DayChart
        title="Files"
        link={{ to: '/projects/$project/files', params }}
        total={usage && formatCount(usage.totals.files)}
        note={usage && 'in total'}
        days={days}
        variable="--accent"
        amountOf={day => day.files}
        formatDay={day => countThings(day.files, 'file')}
        formatValue={formatShort}
      />
      <DayChart
        title="File size"
        link={{ to: '/projects/$project/files', params }}
        total={usage && formatBytes(usage.totals.bytes)}
        note={usage && 'in total'}
        days={days}
        variable="--good"
        amountOf={day => day.bytes}
        formatDay={day => formatBytes(day.bytes)}
        formatValue={formatBytes}
      />
    </div>
  );
}

function describeDatasets({ datasets }: Day): string {
  const counts = Object.entries(datasets);
  if (counts.length < 2) return '';
  const most = counts.sort(([, one], [, other]) => other - one).slice(0, 3);
  return ` (${most.map(([name, count]) => `${name} ${formatShort(count)}`).join(', ')})`;
}
