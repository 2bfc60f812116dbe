/** Chooses one of a few values, each with an explanation. */
import { useId } from 'react';

export type RadioOption<T extends string> = { value: T; label: string; meaning: string; disabled?: boolean };

type RadioGroupProps<T extends string> = {
  label: string;
  choices: readonly RadioOption<T>[];
  value: T;
  onChange: (value: T) => void;
};

export function RadioGroup<T extends string>({ label, choices, value, onChange }: RadioGroupProps<T>) {
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <div className="grid gap-px overflow-hidden rounded-lg border border-line bg-line">
        {choices.map(choice => (
          <label
            key={choice.value}
            className="flex items-baseline gap-3 bg-panel px-3.5 py-2.5 transition-colors has-disabled:opacity-50
              has-[:not(:checked):enabled]:hover:bg-well has-checked:bg-well has-focus-visible:outline-2
              has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              disabled={choice.disabled}
              onChange={() => onChange(choice.value)}
              className="size-2.5 shrink-0 appearance-none rounded-full border border-edge transition-colors
                outline-none checked:border-accent checked:bg-accent"
            />
            <span className="grid">
              <span className="text-sm font-medium">{choice.label}</span>
              <span className="text-sm text-muted">{choice.meaning}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
