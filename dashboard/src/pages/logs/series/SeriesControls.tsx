/** Chooses the chart: statistic, its field, the field to group by, and the number of lines. */
import type { ReactNode } from 'react';
import type { LogField } from '../../../queries/logFields.ts';
import { type Option, Select } from '../../../ui/forms/Select.tsx';
import type { ChangeSearch } from '../useLogSearch.ts';
import { needsField, type SeriesChoice, type Statistic, statistics, tops, writeChoice } from './choice.ts';

const statisticOptions = Object.entries(statistics).map(
  // These are the keys of `statistics`.
  ([word, { label }]) => ({ value: word as Statistic, label }),
);
const everyEntryHas = ['level', 'resource', 'dataset'];

type SeriesControlsProps = {
  fields: readonly LogField[];
  choice: SeriesChoice;
  onChange: ChangeSearch;
};

export function SeriesControls({ fields, choice, onChange }: SeriesControlsProps) {
  const { stat, of, by, top } = choice;
  const change = (changed: Partial<SeriesChoice>) => onChange(writeChoice({ ...choice, ...changed }));
  const numbers = fields.flatMap(({ name, kind }) => (kind === 'number' ? [name] : []));
  const paths = fields.map(({ name }) => name).filter(name => !everyEntryHas.includes(name));
  const measured = statistics[stat].takes === 'number' ? numbers : [...everyEntryHas, ...paths];
  const takesOf = (next: Statistic) =>
    statistics[next].takes === 'any' || (of !== null && numbers.includes(of));
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 text-sm text-muted [&_select]:field-sizing-content">
      <Select
        small
        aria-label="Statistic"
        value={stat}
        options={statisticOptions}
        onChange={next => change({ stat: next, of: takesOf(next) ? of : null })}
      />
      {needsField(stat) && (
        <Labelled word="of">
          <Select
            small
            aria-label="Field"
            value={of ?? ''}
            options={list(of, measured, 'a field')}
            onChange={name => change({ of: name || null })}
          />
        </Labelled>
      )}
      <Labelled word="by">
        <Select
          small
          aria-label="Group by"
          value={by ?? ''}
          options={list(by, [...everyEntryHas, ...paths], 'all together')}
          onChange={name => change({ by: name || null })}
        />
      </Labelled>
      {by !== null && (
        <Labelled word="top">
          <Select
            small
            aria-label="Number of lines"
            value={String(top)}
            options={tops.map(each => ({ value: String(each), label: String(each) }))}
            onChange={each => change({ top: Number(each) })}
          />
        </Labelled>
      )}
    </div>
  );
}

/** Always includes the chosen field. */
function list(chosen: string | null, names: readonly string[], none: string): Option<string>[] {
  const all = chosen === null || names.includes(chosen) ? names : [chosen, ...names];
  return [{ value: '', label: none }, ...all.map(name => ({ value: name, label: name }))];
}

function Labelled({ word, children }: { word: string; children: ReactNode }) {
  return (
    <span className="flex min-w-0 items-center gap-2 [&>span]:max-w-44">
      {word}
      {children}
    </span>
  );
}
