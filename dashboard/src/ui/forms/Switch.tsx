/** A labelled toggle. */

type SwitchProps = {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
};

export function Switch({ label, checked, onChange, disabled = false }: SwitchProps) {
  return (
    <label className="flex items-center gap-3 text-sm font-medium has-disabled:opacity-60">
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        onChange={event => onChange(event.target.checked)}
        className="relative h-5.5 w-10 shrink-0 appearance-none rounded-full border border-edge bg-well
          transition-colors after:absolute after:top-[3px] after:left-[3px] after:size-3.5 after:rounded-full
          after:bg-muted after:transition-all checked:border-accent checked:bg-accent
          checked:after:translate-x-[18px] checked:after:bg-panel"
      />
      {label}
    </label>
  );
}
