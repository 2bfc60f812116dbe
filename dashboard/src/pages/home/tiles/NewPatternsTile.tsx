/** Lists log patterns that first appeared today, errors first, with links to their entries. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type LogLevel, logLevels } from '@tapedeck/client';
import { countThings, formatShort } from '../../../format/numbers.ts';
import { formatRelative } from '../../../format/times.ts';
import { type Counts, hoursQuery, type News, newsQuery } from '../../../queries/home.ts';
import type { LogPattern } from '../../../queries/logPatterns.ts';
import { levelLooks } from '../../logs/levels.ts';
import { Template } from '../../logs/patterns/Template.tsx';
import { sumCounts } from '../comparison.ts';
import { Figure, Tile } from './Tile.tsx';

const shownMax = 4;
const hourMs = 3_600_000;

export function NewPatternsTile({ project }: { project: string }) {
  const found = useQuery(newsQuery(project));
  // True if the oldest hour with an entry is today.
  const { data: isFirstDay = false } = useQuery({
    ...hoursQuery(project),
    select: hours => beganToday(hours),
  });
  const from = found.data?.since;
  const search = { tab: 'patterns', new: 'true', sort: 'firstSeen', ...(from && { from }) };
  return (
    <Tile
      title="New today"
      link={{ to: '/projects/$project/logs', params: { project }, search }}
      found={found}
      className="md:col-span-2"
    >
      {news => <NewPatterns project={project} news={news} isFirstDay={isFirstDay} />}
    </Tile>
  );
}

type NewPatternsProps = { project: string; news: News; isFirstDay: boolean };

function NewPatterns({ project, news, isFirstDay }: NewPatternsProps) {
  const { data, total, since } = news;
  if (total === 0)
    return (
      <>
        <Figure figure="None" />
        <p className="text-sm text-muted">No new log patterns since midnight.</p>
      </>
    );
  const shown = data.toSorted((one, other) => rank(other) - rank(one)).slice(0, shownMax);
  return (
    <>
      <Figure figure={formatShort(total)}>
        {total === 1 ? 'new pattern' : 'new patterns'}{' '}
        {isFirstDay ? 'on the first day of logs' : 'since midnight'}
      </Figure>
      <ul className="divide-y divide-line/60">
        {shown.map(pattern => (
          <NewPattern key={pattern.pattern} project={project} since={since} found={pattern} />
        ))}
      </ul>
    </>
  );
}

type NewPatternProps = { project: string; since: string; found: LogPattern };

function NewPattern({ project, since, found }: NewPatternProps) {
  const { pattern, entries, firstSeenAt, sample } = found;
  const level = levelOf(found);
  return (
    <li>
      <Link
        to="/projects/$project/logs"
        params={{ project }}
        search={{ query: `pattern:${pattern}`, from: since }}
        title={sample}
        className="relative grid w-full max-w-full grid-cols-[auto_minmax(0,1fr)_auto] items-baseline overflow-hidden gap-x-2.5 rounded-sm py-1 text-sm hover:bg-well/60"
      >
        <span className={`font-mono text-[0.74rem] ${levelLooks[level].text}`}>{level}</span>
        <bdi className="truncate font-mono text-[0.8rem]">
          <Template found={found} />
        </bdi>
        <span className="text-[0.8rem] whitespace-nowrap text-muted tabular-nums">
          {countThings(entries, 'entry', 'entries')}
          <span className="phone:hidden">, {formatRelative(firstSeenAt, Date.now())}</span>
        </span>
      </Link>
    </li>
  );
}

/** Returns the worst level of its entries. */
function levelOf({ levels }: LogPattern): LogLevel {
  return logLevels.findLast(level => levels[level] > 0) ?? 'info';
}

/** Ranks by level, then by number. */
function rank(found: LogPattern): number {
  return logLevels.indexOf(levelOf(found)) + 1 - 1 / (1 + found.entries);
}

function beganToday(hours: readonly Counts[]): boolean {
  const first = hours.findIndex(each => sumCounts(each) > 0);
  const midnight = new Date().setHours(0, 0, 0, 0);
  return first >= 0 && Date.now() - (hours.length - first - 1) * hourMs >= midnight;
}
