/** Shows the entries per minute, now and over the last hours. */
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../../../format/numbers.ts';
import { rateHours, ratesQuery } from '../../../queries/home.ts';
import { sumCounts } from '../comparison.ts';
import { describeRates, formatRecentRate } from '../rates.ts';
import { Bars } from './Bars.tsx';
import { Figure, Tile } from './Tile.tsx';

const barMinutes = 5;

export function RateTile({ project }: { project: string }) {
  const found = useQuery(ratesQuery(project));
  return (
    <Tile
      title="New entries"
      link={{ to: '/projects/$project/logs', params: { project }, search: { range: `${rateHours}h` } }}
      found={found}
    >
      {minutes => {
        const counts = drawBars(minutes.map(sumCounts));
        const errors = drawBars(minutes.map(({ error }) => error));
        const all = counts.reduce((sum, count) => sum + count, 0);
        const most = Math.max(0, ...counts) / barMinutes;
        return (
          <>
            <Figure figure={formatRecentRate(counts.at(-1) ?? 0, barMinutes)}>
              in the last {barMinutes} minutes
            </Figure>
            <p className="text-sm text-muted">
              {describeRates({ all, hours: rateHours, mostAMinute: most })}
            </p>
            <Bars
              label={`Entries of the last ${rateHours} hours: ${formatCount(all)}`}
              counts={counts}
              variable="--level-info"
              part={{ counts: errors, variable: '--danger' }}
              since={`${rateHours} hours ago`}
            />
          </>
        );
      }}
    </Tile>
  );
}

/** Sums every few minutes. */
function drawBars(minutes: readonly number[]): number[] {
  return Array.from({ length: Math.floor(minutes.length / barMinutes) }, (_, bar) =>
    minutes.slice(bar * barMinutes, (bar + 1) * barMinutes).reduce((sum, count) => sum + count, 0),
  );
}
