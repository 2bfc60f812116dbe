/** Chooses the severity of a rule's alerts. */
import { type Severity, severities } from '@tapedeck/client';
import { useId } from 'react';
import { Select } from '../../../ui/forms/Select.tsx';
import { severityWords } from '../severities.ts';

type SeveritySelectProps = { severity: Severity; onChange: (severity: Severity) => void };

const options = severities.map(value => ({ value, label: severityWords[value] }));

export function SeveritySelect({ severity, onChange }: SeveritySelectProps) {
  const id = useId();
  return (
    <div className="grid max-w-60 gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Severity
      </label>
      <Select id={id} value={severity} options={options} onChange={onChange} />
      <p className="text-sm text-muted">Channels can leave out alerts of some severities.</p>
    </div>
  );
}
