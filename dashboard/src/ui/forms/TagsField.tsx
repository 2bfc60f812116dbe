/** A list of short words, such as folders or datasets. Users type them one by one and can remove each. */
import { type KeyboardEvent, useState } from 'react';
import { Icon } from '../Icon.tsx';
import { controlStyle, Field, type FieldText } from './Field.tsx';

type TagsFieldProps = FieldText & {
  words: readonly string[];
  onChange: (words: readonly string[]) => void;
  placeholder: string;
};

export function TagsField({ words, onChange, placeholder, ...text }: TagsFieldProps) {
  const [typed, setTyped] = useState('');
  const add = () => {
    const word = typed.trim();
    if (word !== '' && !words.includes(word)) onChange([...words, word]);
    setTyped('');
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault();
      add();
    } else if (event.key === 'Backspace' && typed === '') onChange(words.slice(0, -1));
  };
  return (
    <Field {...text}>
      {control => (
        <div className="flex flex-wrap items-center gap-2">
          {words.map(word => (
            <Word key={word} word={word} onRemove={() => onChange(words.filter(each => each !== word))} />
          ))}
          <input
            {...control}
            value={typed}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
            onChange={event => setTyped(event.target.value)}
            onKeyDown={handleKey}
            onBlur={add}
            className={`${controlStyle} h-8 flex-1 basis-40 font-mono text-[0.88em]`}
          />
        </div>
      )}
    </Field>
  );
}

function Word({ word, onRemove }: { word: string; onRemove: () => void }) {
  return (
    <span className="inline-flex h-8 items-center gap-1 rounded-lg border border-line pr-1 pl-2.5 font-mono text-[0.82rem]">
      {word}
      <button
        type="button"
        aria-label={`Remove ${word}`}
        onClick={onRemove}
        className="grid size-[24px] place-items-center rounded-md text-muted hover:text-ink"
      >
        <Icon name="cross" className="size-3" />
      </button>
    </span>
  );
}
