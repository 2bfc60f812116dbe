/** Chooses the time range: up to now, or between two times. */
import { useState } from 'react';
import { type Option, Select } from '../../ui/forms/Select.tsx';
import { type LogSearch, ranges, usualRange } from './search.ts';
import { TimeRangeDialog } from './TimeRangeDialog.tsx';
import type { ChangeSearch } from './useLogSearch.ts';

const chosenSpan = 'span';
const anotherSpan = 'other';

export function RangeSelect({ search, onChange }: { search: LogSearch; onChange: ChangeSearch }) {
  const [choosing, setChoosing] = useState(false);
  const hasSpan = search.from !== undefined || search.to !== undefined;
  const options: Option<string>[] = [
    // The filters below show it.
    ...(hasSpan ? [{ value: chosenSpan, label: 'Chosen time' }] : []),
    ...ranges.map(({ value, label }) => ({ value, label })),
    { value: anotherSpan, label: 'Between two times…' },
  ];
  const choose = (value: string) => {
    if (value === anotherSpan) setChoosing(true);
    else if (value !== chosenSpan)
      onChange({ range: value === usualRange ? undefined : value, from: undefined, to: undefined });
  };
  const value = hasSpan
    ? chosenSpan
    : (ranges.find(range => range.value === search.range)?.value ?? usualRange);
  return (
    <>
      <Select inBar aria-label="Time" value={value} options={options} onChange={choose} />
      {choosing && <TimeRangeDialog search={search} onChange={onChange} onClose={() => setChoosing(false)} />}
    </>
  );
}
