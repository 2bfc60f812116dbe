/** Chooses any of several values with small toggle buttons. */

type CheckboxGroupProps<T extends string> = {
  label: string;
  values: readonly T[];
  chosen: readonly T[];
  onChange: (chosen: readonly T[]) => void;
};

export function CheckboxGroup<T extends string>({ label, values, chosen, onChange }: CheckboxGroupProps<T>) {
  const toggle = (value: T, checked: boolean) =>
    onChange(values.filter(each => (each === value ? checked : chosen.includes(each))));
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <div className="flex flex-wrap gap-2">
        {values.map(value => (
          <label
            key={value}
            className="inline-flex h-8 items-center gap-2 rounded-lg border border-line bg-well/60 px-3 text-sm
              text-muted transition-colors hover:border-edge has-checked:border-ink has-checked:text-ink
              has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={event => toggle(value, event.target.checked)}
              className="size-2 appearance-none rounded-full border border-edge transition-colors outline-none
                checked:border-accent checked:bg-accent"
            />
            {value}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
