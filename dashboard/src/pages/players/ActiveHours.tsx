/** A heat map of a player's activity at each hour of the week. */
import { useMemo } from 'react';
import { formatCount } from '../../format/numbers.ts';

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const hoursOfWeek = 168;

export function ActiveHours({ hours }: { hours: readonly (readonly number[])[] }) {
  const shown = useMemo(() => shiftHours(hours, -new Date().getTimezoneOffset() / 60), [hours]);
  const most = Math.max(1, ...shown.flat());
  return (
    <table className="w-full table-fixed border-separate border-spacing-px text-[0.7rem] text-muted">
      <caption className="sr-only">Entries and files by weekday and hour</caption>
      <thead>
        <tr>
          <th scope="col" className="w-9">
            <span className="sr-only">Day</span>
          </th>
          {Array.from({ length: 24 }, (_, hour) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: hours are their places
            <th key={hour} scope="col" className="text-left font-normal">
              <span className={hour % 6 === 0 ? '' : 'sr-only'}>{hour}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((counts, day) => (
          <tr key={days[day]}>
            <th scope="row" className="text-left font-normal">
              {days[day]}
            </th>
            {counts.map((count, hour) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: hours are their places
              <td key={hour} title={`${days[day]} ${hour}:00, ${formatCount(count)}`} className="p-0">
                <span
                  className="block h-4 rounded-[2px] bg-accent"
                  style={{ opacity: count === 0 ? 0.08 : 0.25 + (0.75 * count) / most }}
                >
                  <span className="sr-only">{count}</span>
                </span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Shifts by whole hours. Rounds half-hour zones down. */
function shiftHours(hours: readonly (readonly number[])[], offset: number): number[][] {
  const flat = hours.flat();
  const shifted = flat.map((_, hour) => flat[(hour - Math.floor(offset) + hoursOfWeek) % hoursOfWeek] ?? 0);
  return days.map((_, day) => shifted.slice(day * 24, (day + 1) * 24));
}
