/** Fields for a rule's threshold, its time window, and the field to group by. */
import { limits } from '@tapedeck/client';
import { useId } from 'react';
import { type FieldErrors, placeErrors } from '../../../format/fieldErrors.ts';
import { controlStyle, Field } from '../../../ui/forms/Field.tsx';
import { Select } from '../../../ui/forms/Select.tsx';
import { TextField } from '../../../ui/forms/TextField.tsx';
import { useFields } from '../../logs/fields.ts';
import type { RuleDraft } from './draft.ts';

/** Field names as in the service's errors. */
export const ruleFields = [
  'name',
  'query',
  'dataset',
  'by',
  'condition.value',
  'condition.factor',
  'windowSeconds',
  'condition',
  'channels',
] as const;
export type RuleErrors = FieldErrors<(typeof ruleFields)[number]>;

const valueLabels = { many: 'This many or more', few: 'Fewer than', more: 'At least' } as const;
const units: readonly { value: RuleDraft['unit']; label: string }[] = [
  { value: 'second', label: 'seconds' },
  { value: 'minute', label: 'minutes' },
  { value: 'hour', label: 'hours' },
];

type ConditionFieldsProps = {
  project: string;
  draft: RuleDraft & { want: keyof typeof valueLabels };
  failure: RuleErrors;
  /** The service's error, before saving. */
  previewError: Error | null;
  onChange: (change: Partial<RuleDraft>) => void;
};

export function ConditionFields(props: ConditionFieldsProps) {
  const { project, draft, failure, previewError, onChange } = props;
  const early = placeErrors(previewError, ruleFields);
  const errorAt = (field: (typeof ruleFields)[number]) => failure.at(field) ?? early.at(field);
  return (
    <div className="grid items-start gap-x-4 gap-y-5 sm:grid-cols-2 lg:grid-cols-4">
      <TextField
        label={valueLabels[draft.want]}
        type="number"
        inputMode="numeric"
        min={1}
        max={limits.ruleValueMax}
        step={1}
        unit="entries"
        error={errorAt('condition.value')}
        value={draft.value}
        onChange={value => onChange({ value })}
      />
      {draft.want === 'more' && (
        <TextField
          label="Times the previous window"
          type="number"
          inputMode="decimal"
          min={1}
          step="any"
          unit="times"
          error={errorAt('condition.factor')}
          value={draft.factor}
          onChange={factor => onChange({ factor })}
        />
      )}
      <WindowField draft={draft} error={errorAt('windowSeconds')} onChange={onChange} />
      <SplitField project={project} draft={draft} onChange={onChange} error={errorAt('by')} />
    </div>
  );
}

type FieldProps = { draft: RuleDraft; error: string | null; onChange: ConditionFieldsProps['onChange'] };

function WindowField({ draft, error, onChange }: FieldProps) {
  return (
    <Field label="Within" error={error}>
      {control => (
        <span className="grid grid-cols-[minmax(4rem,1fr)_7.5rem] gap-2">
          <input
            {...control}
            type="number"
            inputMode="numeric"
            min={1}
            step={1}
            value={draft.amount}
            onChange={event => onChange({ amount: event.target.value })}
            className={`${controlStyle} h-10`}
          />
          <Select
            aria-label="Unit of time"
            value={draft.unit}
            options={units}
            onChange={unit => onChange({ unit })}
          />
        </span>
      )}
    </Field>
  );
}

const proposedMax = 200;

/** The browser suggests the fields that entries have. */
function SplitField({ project, draft, error, onChange }: FieldProps & { project: string }) {
  const list = useId();
  const { fields } = useFields(project, { dataset: draft.dataset || undefined, range: '7d' });
  const names = [...new Set(['resource', 'dataset', ...fields.map(({ name }) => name)])];
  return (
    <>
      <TextField
        label="For each"
        hint="Count separately for each value of this field."
        placeholder="all together"
        mono
        list={list}
        autoComplete="off"
        spellCheck={false}
        error={error}
        value={draft.by}
        onChange={by => onChange({ by })}
      />
      <datalist id={list}>
        {names.slice(0, proposedMax).map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
