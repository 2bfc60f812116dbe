/** Chooses the kind of a rule, in the user's words. */
import { useId } from 'react';
import { Icon, type IconName } from '../../../ui/Icon.tsx';
import type { RuleWish } from './draft.ts';

const choices: readonly { want: RuleWish; icon: IconName; label: string; meaning: string }[] = [
  { want: 'many', icon: 'lines', label: 'Too many', meaning: 'Errors pile up.' },
  { want: 'few', icon: 'minus', label: 'Too few', meaning: 'Expected entries are missing.' },
  { want: 'more', icon: 'pulse', label: 'Suddenly more', meaning: 'A sudden increase.' },
  { want: 'new', icon: 'plus', label: 'Something new', meaning: 'A message never seen before.' },
  { want: 'issue', icon: 'bell', label: 'Issues', meaning: 'A new error, or a resolved one that came back.' },
  { want: 'quiet', icon: 'plug', label: 'Silent server', meaning: 'It stopped reporting.' },
  { want: 'storage', icon: 'drawers', label: 'Storage almost full', meaning: 'A quota is nearly reached.' },
];

export function KindSelect({ want, onChange }: { want: RuleWish; onChange: (want: RuleWish) => void }) {
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Alert me about</legend>
      <div className="grid grid-cols-2 gap-2 lg:grid-cols-3">
        {choices.map(({ want: value, icon, label, meaning }) => (
          <label
            key={value}
            className="relative grid grid-cols-[auto_minmax(0,1fr)] content-start gap-x-2.5 rounded-lg border border-line bg-panel px-3 py-2 transition-colors
              hover:border-edge has-checked:border-accent has-checked:bg-well has-focus-visible:outline-2
              has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={value}
              checked={value === want}
              onChange={() => onChange(value)}
              className="sr-only"
            />
            <Icon name={icon} className={`mt-1 ${value === want ? 'text-accent' : 'text-muted'}`} />
            <span className="text-sm font-medium">{label}</span>
            <span className="col-start-2 text-[0.82rem] text-pretty text-muted">{meaning}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
