/** Charts a rule's windows over the last seven days, and when it would have fired. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { formatSeconds } from '../../../format/durations.ts';
import { countThings } from '../../../format/numbers.ts';
import { previewQuery, type Rule } from '../../../queries/rules.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { computeColumns, findTop } from '../chart/columns.ts';
import { FixedLine } from '../chart/ThresholdLine.tsx';
import { WindowChart } from '../chart/WindowChart.tsx';

export function RuleWeek({ project, rule }: { project: string; rule: Rule }) {
  const { kind, query, dataset, by, condition, windowSeconds } = rule;
  const isOfCounts = kind === 'count' || kind === 'change';
  const asked = { kind, query, dataset, by, condition, windowSeconds };
  const { data } = useQuery({ ...previewQuery(project, asked), enabled: isOfCounts, retry: false });
  const isSilence = condition.op === '<';
  const windows = data?.windows ?? null;
  const columns = useMemo(
    () => windows && computeColumns(windows, { fewest: isSilence, windowSeconds }),
    [windows, isSilence, windowSeconds],
  );
  if (!isOfCounts || columns === null || data === undefined) return null;
  const { value = 1 } = condition;
  const top = findTop(columns, value);
  const bars = `${isSilence ? 'The fewest' : 'The most'} entries within ${formatSeconds(windowSeconds)}, per half hour over the last seven days.`;
  const fired = data.fired === 0 ? 'not have fired' : `have fired ${countThings(data.fired, 'time')}`;
  return (
    <Panel title="The last week" about={`${bars} It would ${fired}.`}>
      <WindowChart
        label={`${bars} The highest bar is ${countThings(columns.most, 'entry', 'entries')}.`}
        columns={columns}
        top={top}
        threshold={value}
        isBelow={isSilence}
        marks={data.times.map(at => Date.parse(at))}
      >
        <FixedLine value={value} top={top} />
      </WindowChart>
    </Panel>
  );
}
