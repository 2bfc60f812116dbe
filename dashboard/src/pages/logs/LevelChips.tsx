/** Toggle buttons for the levels. None pressed means all. */
import { type LogLevel, logLevels } from '@tapedeck/client';
import { levelLooks } from './levels.ts';
import { chooseLevels, listLevels } from './queryFilters.ts';
import type { LogSearch } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';

export function LevelChips({ search, onChange }: { search: LogSearch; onChange: ChangeSearch }) {
  const { query = '' } = search;
  const chosen = listLevels(query);
  const toggle = (level: LogLevel) => {
    const next = logLevels.filter(each => (each === level) !== chosen.includes(each));
    onChange({ query: chooseLevels(query, next) });
  };
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">Levels</legend>
      {logLevels.map(level => (
        <button
          key={level}
          type="button"
          aria-pressed={chosen.includes(level)}
          onClick={() => toggle(level)}
          className="inline-flex h-8 items-center gap-2 rounded-lg border border-line bg-panel px-2.5 phone:gap-1.5 phone:px-2 font-mono text-[0.8rem]
            text-muted transition-colors hover:border-edge aria-pressed:border-ink aria-pressed:text-ink"
        >
          <span aria-hidden="true" className={`size-2 rounded-full ${levelLooks[level].fill}`} />
          {level}
        </button>
      ))}
    </fieldset>
  );
}
