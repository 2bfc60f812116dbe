/** Renders a query box: one coloured line of text, with suggestions below. */
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { usePageKeys } from '../ui/hooks/usePageKeys.ts';
import { Icon } from '../ui/Icon.tsx';
import { idOfOption } from '../ui/options/OptionList.tsx';
import { CompletionList } from './CompletionList.tsx';
import { Highlighted } from './Highlighted.tsx';
import { findTabbed, handleKey } from './keys.ts';
import type { QueryBoxState } from './queryBox.ts';

const textStyle =
  'font-mono text-[0.84rem] leading-10 whitespace-pre [font-variant-ligatures:none] phone:text-base phone:leading-11';

type BoxViewProps = {
  box: QueryBoxState;
  label: string;
  placeholder: string;
  /** Called when a mistake appears or disappears. */
  onMistake?: ((hasMistake: boolean) => void) | undefined;
  /** Shown below the box while nothing is wrong. */
  hint?: string | undefined;
  /** The button that explains the language. */
  help: ReactNode;
};

export function BoxView({ box, label, placeholder, onMistake, hint, help }: BoxViewProps) {
  const id = useId();
  const { input, text, mistake } = box;
  const hasMistake = mistake !== null;
  useEffect(() => onMistake?.(hasMistake), [onMistake, hasMistake]);
  usePageKeys({
    '/': () => {
      input.current?.focus();
      // Puts the caret after the text.
      input.current?.setSelectionRange(text.length, text.length);
    },
  });
  return (
    <>
      <form
        className="relative min-w-[min(100%,18rem)] flex-1"
        onSubmit={event => {
          event.preventDefault();
          box.submit();
        }}
      >
        <div
          className={`flex h-10 items-center gap-2 rounded-lg border bg-well/60 pr-1 pl-3 phone:h-11.5 transition-colors has-[input:focus-visible]:outline-2
          has-[input:focus-visible]:outline-offset-2 has-[input:focus-visible]:outline-accent
          ${mistake ? 'border-danger' : 'border-edge focus-within:border-muted hover:border-muted'}`}
        >
          <Icon name="search" className="shrink-0 text-muted" />
          <Line box={box} id={id} label={label} placeholder={placeholder} />
          {text === '' ? (
            <kbd className="pointer-events-none rounded border border-line px-1.5 font-mono text-[0.72rem] text-muted phone:hidden">
              /
            </kbd>
          ) : (
            <button
              type="button"
              aria-label="Clear search"
              title="Clear search"
              tabIndex={-1} // as in browsers' own search fields: Enter after one Tab too many would delete the text
              onClick={() => box.replace('')}
              className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
            >
              <Icon name="cross" className="size-3" />
            </button>
          )}
          {help}
        </div>
        <Below box={box} id={id} hint={hint ?? null} />
      </form>
      {hint !== undefined && <HintOrMistake box={box} id={id} hint={hint} />}
    </>
  );
}

type PartProps = { box: QueryBoxState; id: string };

/** The coloured text is behind the field, whose own text is transparent. */
function Line({ box, id, label, placeholder }: PartProps & { label: string; placeholder: string }) {
  const { input, text, spans, mistake, list } = box;
  const layer = useRef<HTMLDivElement>(null);
  const follow = () => {
    if (layer.current && input.current) layer.current.scrollLeft = input.current.scrollLeft;
  };
  // Reading the position forces a layout, so this runs only when the text has changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what moves the field's content
  useLayoutEffect(() => {
    if (text !== '') follow();
  }, [text]);
  return (
    <div className="relative min-w-0 flex-1 self-stretch">
      <div
        ref={layer}
        aria-hidden="true"
        className={`absolute inset-0 overflow-hidden select-none forced-colors:hidden ${textStyle}`}
      >
        <Highlighted text={text} spans={spans} />
        <span className="inline-block w-px" />
      </div>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={list.isOpen}
        aria-controls={list.isOpen ? `${id}-list` : undefined}
        aria-activedescendant={list.active ? idOfOption(`${id}-list`, list.active) : undefined}
        aria-invalid={mistake !== null}
        aria-describedby={mistake ? `${id}-mistake` : undefined}
        placeholder={placeholder}
        value={text}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="search"
        {...box.handlers}
        onKeyDown={event => handleKey(event, box)}
        onScroll={follow}
        className={`relative block size-full truncate bg-transparent text-transparent caret-ink outline-none placeholder:font-sans
          placeholder:text-muted forced-colors:text-[CanvasText] ${textStyle}`}
      />
    </div>
  );
}

/** Shows mistakes and suggestions. Reserves no space, so that the page does not move while the user types. */
function Below({ box, id, hint }: PartProps & { hint: string | null }) {
  const { list, isFocused } = box;
  // The mistake replaces a hint, so that nothing moves under a click outside the box.
  const mistake = hint === null ? box.mistake : null;
  if (!mistake && !list.isOpen) return null;
  const floating =
    'absolute inset-x-0 top-full z-10 mt-1.5 overflow-hidden rounded-xl border border-line bg-panel shadow-float';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the focus where it is
    <div className={isFocused ? floating : ''} onMouseDown={event => event.preventDefault()}>
      {list.isOpen && (
        <CompletionList
          id={`${id}-list`}
          groups={list.groups}
          active={list.active?.key ?? null}
          onChoose={box.choose}
        />
      )}
      {/* Below the list, which therefore stays in place. */}
      {mistake && (
        <p
          id={`${id}-mistake`}
          role="alert"
          className={`text-sm text-danger wrap-anywhere ${isFocused ? 'px-3.5 py-2.5' : 'pt-1.5'} ${list.isOpen ? 'border-t border-line' : ''}`}
        >
          {mistake.sentence}
        </p>
      )}
      {list.isOpen && (
        <p
          aria-hidden="true"
          className="border-t border-line px-3.5 py-1.5 text-[0.74rem] text-muted phone:hidden"
        >
          ↑ ↓ to choose, {describeKeys(box)}, Esc to close
        </p>
      )}
    </div>
  );
}

/** Names only what the keys do now. */
function describeKeys(box: QueryBoxState): string {
  if (box.list.active !== null) return 'Tab or Enter to insert';
  return findTabbed(box) === null ? 'Enter to search' : 'Tab to insert the first, Enter to search';
}

function HintOrMistake({ box: { mistake }, id, hint }: PartProps & { hint: string }) {
  return mistake ? (
    <p id={`${id}-mistake`} role="alert" className="text-sm text-danger wrap-anywhere">
      {mistake.sentence}
    </p>
  ) : (
    <p className="text-sm text-muted">{hint}</p>
  );
}
