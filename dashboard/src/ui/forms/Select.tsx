/** Chooses one of several values. Uses the browser's own control, which phones and screen readers support best. */
import type { ComponentProps } from 'react';
import { Icon } from '../Icon.tsx';
import { controlStyle } from './Field.tsx';

export type Option<T extends string> = { value: T; label: string };

type SelectProps<T extends string> = {
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
  small?: boolean;
  /** True beside a search box, to use its font size. */
  inBar?: boolean;
} & Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'className' | 'style'>;

export function Select<T extends string>({
  value,
  options,
  onChange,
  small = false,
  inBar = false,
  ...rest
}: SelectProps<T>) {
  const choose = (chosen: string) => {
    const option = options.find(each => each.value === chosen);
    if (option) onChange(option.value);
  };
  return (
    <span className="relative inline-grid min-w-0">
      <select
        {...rest}
        value={value}
        onChange={event => choose(event.target.value)}
        className={`${controlStyle} appearance-none pr-9 ${small ? 'h-8 text-sm' : inBar ? 'h-10 text-sm' : 'h-10'}`}
      >
        {options.map(option => (
          <option key={option.value} value={option.value} className="bg-panel text-ink">
            {option.label}
          </option>
        ))}
      </select>
      <Icon
        name="upDown"
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted"
      />
    </span>
  );
}
