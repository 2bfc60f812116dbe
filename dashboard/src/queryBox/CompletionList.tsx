/** The list of suggestions below the query box. */
import { OptionList } from '../ui/options/OptionList.tsx';
import type { Group, Option } from './options.ts';

type CompletionListProps = {
  id: string;
  groups: readonly Group[];
  /** The key of the option that Enter inserts. */
  active: string | null;
  onChoose: (option: Option) => void;
};

export function CompletionList(props: CompletionListProps) {
  return (
    <OptionList
      {...props}
      label="Suggestions"
      className="max-h-[min(22rem,45dvh)] overflow-y-auto p-1.5"
      lineStyle="min-h-8 justify-between gap-4 py-1 text-[0.82rem]"
    >
      {option => (
        <>
          <bdi className={`min-w-0 truncate ${option.edit === null ? 'text-muted' : 'font-mono'}`}>
            {option.label}
          </bdi>{' '}
          {option.about && (
            <span className="shrink-0 text-[0.76rem] text-muted tabular-nums">{option.about}</span>
          )}
        </>
      )}
    </OptionList>
  );
}
