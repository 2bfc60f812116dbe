/** What can stand at the caret, as a list below the box. The box keeps the focus, and says which one is meant. */
import { useEffect, useRef } from 'react';
import type { Group, Option } from './options.ts';

type CompletionListProps = {
  id: string;
  groups: readonly Group[];
  /** The key of the option that Enter takes. */
  active: string | null;
  onChoose: (option: Option) => void;
};

export function CompletionList({ id, groups, active, onChoose }: CompletionListProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      className="max-h-[min(22rem,45dvh)] overflow-y-auto p-1.5"
    >
      {groups.map(({ title, options }) => (
        // biome-ignore lint/a11y/useSemanticElements: a list of options has groups, no fieldsets
        <div key={title} role="group" aria-label={title} className="not-first:mt-1.5">
          <p aria-hidden="true" className="engraved px-2 pt-1 pb-0.5">
            {title}
          </p>
          {options.map(option => (
            <Line
              key={option.key}
              id={idOfOption(id, option)}
              option={option}
              isActive={option.key === active}
              onChoose={onChoose}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

export function idOfOption(listId: string, { key }: Option): string {
  return `${listId}-${encodeURIComponent(key)}`;
}

type LineProps = { id: string; option: Option; isActive: boolean; onChoose: (option: Option) => void };

function Line({ id, option, isActive, onChoose }: LineProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the box has the focus and says which option is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the box takes the keys for all options
    <div
      ref={line}
      id={id}
      role="option"
      aria-selected={isActive}
      onClick={() => onChoose(option)}
      className={`flex min-h-8 cursor-pointer items-center justify-between gap-4 rounded-md px-2 py-1 text-[0.82rem] phone:min-h-10
        ${isActive ? 'bg-accent/15' : 'hover:bg-ink/6'}`}
    >
      <bdi className={`min-w-0 truncate ${option.edit === null ? 'text-muted' : 'font-mono'}`}>
        {option.label}
      </bdi>{' '}
      {option.about && (
        <span className="shrink-0 text-[0.76rem] text-muted tabular-nums">{option.about}</span>
      )}
    </div>
  );
}
