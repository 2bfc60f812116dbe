/** A chart's numbers for screen readers. */
import { formatDayTime } from '../../../format/times.ts';
import { useZone } from '../view.ts';
import type { SeriesLine } from './lines.ts';

type SeriesTableProps = { caption: string; timestamps: readonly string[]; lines: readonly SeriesLine[] };

export function SeriesTable({ caption, timestamps, lines }: SeriesTableProps) {
  const zone = useZone();
  if (timestamps.length === 0) return null;
  return (
    <div className="sr-only">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {lines.map(({ name, value }) => (
              <th key={value ?? ''} scope="col">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {timestamps.map((at, index) => (
            <tr key={at}>
              <th scope="row">{formatDayTime(at, { zone })}</th>
              {lines.map(({ value, values }) => (
                <td key={value ?? ''}>{values[index] ?? 'none'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
