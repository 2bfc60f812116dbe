/** A number of days; empty means forever. */
import { limits } from '@tapedeck/client';
import type { ReactNode } from 'react';
import { TextField } from './TextField.tsx';

type DaysFieldProps = {
  label: ReactNode;
  days: string;
  onChange: (days: string) => void;
  placeholder?: string;
};

export function DaysField({ label, days, onChange, placeholder = 'forever' }: DaysFieldProps) {
  return (
    <TextField
      label={label}
      type="number"
      inputMode="numeric"
      min={1}
      max={limits.retentionDaysMax}
      step={1}
      placeholder={placeholder}
      unit="days"
      value={days}
      onChange={onChange}
    />
  );
}
