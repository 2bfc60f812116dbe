/** Options in groups below a field. The field keeps the focus, handles keys, and names the active option. */
import { type ReactNode, useEffect, useRef } from 'react';

export type OptionGroup<Option> = { title: string; options: readonly Option[] };

type OptionListProps<Option extends { key: string }> = {
  id: string;
  label: string;
  groups: readonly OptionGroup<Option>[];
  /** The key of the option that Enter chooses. */
  active: string | null;
  /** The key of the open option; undefined if the active one counts as chosen. */
  chosen?: string | undefined;
  onChoose: (option: Option) => void;
  className: string;
  /** The style of each row, except its colours. */
  lineStyle: string;
  /** Shown if there are no options. */
  empty?: ReactNode;
  children: (option: Option) => ReactNode;
};

export function OptionList<Option extends { key: string }>(props: OptionListProps<Option>) {
  const { id, label, groups, active, chosen, onChoose, className, lineStyle, empty, children } = props;
  return (
    <div id={id} role="listbox" aria-label={label} className={className}>
      {groups.map(({ title, options }) => (
        // biome-ignore lint/a11y/useSemanticElements: a list of options has groups, no fieldsets
        <div key={title} role="group" aria-label={title} className="not-first:mt-1.5">
          <p aria-hidden="true" className="engraved px-2 pt-1.5 pb-0.5">
            {title}
          </p>
          {options.map(option => (
            <Line
              key={option.key}
              id={idOfOption(id, option)}
              isActive={option.key === active}
              isChosen={option.key === (chosen === undefined ? active : chosen)}
              style={lineStyle}
              onChoose={() => onChoose(option)}
            >
              {children(option)}
            </Line>
          ))}
        </div>
      ))}
      {groups.length === 0 && empty !== undefined && (
        // biome-ignore lint/a11y/useFocusableInteractive: nothing to choose
        <div
          role="option"
          aria-selected="false"
          aria-disabled="true"
          className="px-2 py-3 text-sm text-muted"
        >
          {empty}
        </div>
      )}
    </div>
  );
}

export function idOfOption(listId: string, { key }: { key: string }): string {
  return `${listId}-${encodeURIComponent(key)}`;
}

/** Moves to the next option, wrapping at the ends. */
export function stepAmong<Option extends { key: string }>(
  options: readonly Option[],
  from: string | null,
  step: number,
): Option | undefined {
  const at = options.findIndex(({ key }) => key === from);
  if (at === -1) return step > 0 ? options[0] : options.at(-1);
  return options[(at + step + options.length) % options.length];
}

type LineProps = {
  id: string;
  isActive: boolean;
  isChosen: boolean;
  style: string;
  onChoose: () => void;
  children: ReactNode;
};

function Line({ id, isActive, isChosen, style, onChoose, children }: LineProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const colour = isActive ? 'bg-accent/15' : isChosen ? 'bg-ink/8' : 'hover:bg-ink/6';
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and says which option is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys for all options
    <div
      ref={line}
      id={id}
      role="option"
      aria-selected={isChosen}
      onClick={onChoose}
      className={`flex cursor-pointer items-center rounded-md px-2 phone:min-h-11 ${style} ${colour}`}
    >
      {children}
    </div>
  );
}
