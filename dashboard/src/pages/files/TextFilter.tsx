/** A text by which files are found, sent on after a pause; proposals come from the browser's own list. */
import { useEffect, useId } from 'react';
import { controlStyle } from '../../ui/forms/Field.tsx';
import { useDebouncedInput } from '../../ui/hooks/useDebouncedInput.ts';
import { Icon, type IconName } from '../../ui/Icon.tsx';

type TextFilterProps = {
  label: string;
  placeholder: string;
  icon: IconName;
  value: string;
  suggestions?: readonly string[];
  /** Told of each letter. */
  onTyped?: (typed: string) => void;
  onChange: (value: string) => void;
};

export function TextFilter(props: TextFilterProps) {
  const { label, placeholder, icon, value, suggestions, onTyped, onChange } = props;
  const { typed, setTyped } = useDebouncedInput(value, onChange);
  const list = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another text is news
  useEffect(() => onTyped?.(typed), [typed]);
  return (
    <span className="relative min-w-[min(100%,10rem)] flex-1">
      <Icon name={icon} className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        list={suggestions ? list : undefined}
        onChange={event => setTyped(event.target.value)}
        className={`${controlStyle} h-10 pl-9`}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </span>
  );
}
