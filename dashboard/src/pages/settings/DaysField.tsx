/** A number of days; empty means for ever. */
import type { ReactNode } from 'react';
import { TextField } from '../../parts/TextField.tsx';

const daysMax = 36_500; // as the API takes it: a hundred years

type DaysFieldProps = { label: ReactNode; days: string; onChange: (days: string) => void };

export function DaysField({ label, days, onChange }: DaysFieldProps) {
  return (
    <TextField
      label={label}
      type="number"
      inputMode="numeric"
      min={1}
      max={daysMax}
      step={1}
      placeholder="for ever"
      unit="days"
      value={days}
      onChange={onChange}
    />
  );
}
