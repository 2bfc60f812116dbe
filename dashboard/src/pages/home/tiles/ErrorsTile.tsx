/** Shows the last hour's errors, and those of the same hour yesterday and last week. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countThings, formatCount, formatShort } from '../../../format/numbers.ts';
import { type Counts, hoursQuery } from '../../../queries/home.ts';
import { compareErrors } from '../comparison.ts';
import { Bars } from './Bars.tsx';
import { aboveLink, Figure, Tile } from './Tile.tsx';

const hourMs = 3_600_000;
const query = 'level:error';

export function ErrorsTile({ project }: { project: string }) {
  const found = useQuery(hoursQuery(project));
  const params = { project };
  return (
    <Tile
      title="Errors in the last hour"
      link={{ to: '/projects/$project/logs', params, search: { range: '1h', query } }}
      found={found}
    >
      {hours => <Errors project={project} hours={hours} />}
    </Tile>
  );
}

function Errors({ project, hours }: { project: string; hours: readonly Counts[] }) {
  const { now, yesterday, lastWeek, word, isAlarm, day } = compareErrors(hours);
  const sum = day.reduce((all, count) => all + count, 0);
  return (
    <>
      <Figure figure={formatShort(now)}>
        <span className={isAlarm ? 'font-medium text-danger' : ''}>{word}</span>
      </Figure>
      <p className="flex flex-wrap gap-x-4 text-sm text-muted">
        <PastHour project={project} name="Yesterday" daysAgo={1} errors={yesterday} />
        <PastHour project={project} name="Last week" daysAgo={7} errors={lastWeek} />
      </p>
      <Bars
        label={`Errors of the last 24 hours, hour by hour: ${countThings(sum, 'error')}`}
        counts={day}
        variable="--danger"
        since="24 hours ago"
      />
    </>
  );
}

type PastHourProps = { project: string; name: string; daysAgo: number; errors: number | null };

/** Shows the hour that ended at this time of day. */
function PastHour({ project, name, daysAgo, errors }: PastHourProps) {
  if (errors === null) return <span>{name} –</span>;
  const toMs = Date.now() - daysAgo * 24 * hourMs;
  const [from, to] = [toMs - hourMs, toMs].map(at => new Date(at).toISOString());
  const search = { query, from, to };
  return (
    <span>
      {name}{' '}
      <Link to="/projects/$project/logs" params={{ project }} search={search} className={aboveLink}>
        <span className="sr-only">at this time </span>
        {formatCount(errors)}
      </Link>
    </span>
  );
}
