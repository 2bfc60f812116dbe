/** The state of a query box: typing, completion, search and errors. The page supplies the language. */
import { type ChangeEvent, useState } from 'react';
import type { BoxText } from './boxText.ts';
import { isTermBegun } from './completion.ts';
import { useList } from './optionList.ts';
import type { Group, Option } from './options.ts';
import { type ListSpans, readBox, useMistake } from './queryErrors.ts';
import type { RecentSearches } from './recentSearches.ts';

/** Loads options when the pointer comes near, and shows them when the box has the focus. */
type Attention = { state: 'none' | 'near' | 'focus'; set: (state: 'none' | 'near' | 'focus') => void };

export function useAttention(): Attention {
  const [state, set] = useState<Attention['state']>('none');
  return { state, set };
}

type BoxUse = {
  /** Parses the box's language. */
  listSpans: ListSpans;
  box: BoxText;
  attention: Attention;
  /** The current search's query. */
  query: string;
  /** The service's error; null if none. */
  refusal: Error | null;
  recent: RecentSearches;
  /** Returns the options at the caret. */
  listOptions(): readonly Group[];
  /** Searches for the text, which may be unchanged. */
  onSearch(text: string): void;
  /** Called when typing or pasting changes the text. */
  onType?(text: string, event: Event): void;
};

export type QueryBoxState = ReturnType<typeof useQueryBox>;

const noGroups: readonly Group[] = [];

export function useQueryBox(use: BoxUse) {
  const { box, attention, query, refusal, recent, listSpans, listOptions, onSearch, onType } = use;
  const { text, caret, input } = box;
  const isFocused = attention.state === 'focus';
  const list = useList(isFocused ? listOptions() : noGroups);
  const ownRefusal = text.trim() === query ? refusal : null;
  const reading = useMistake({ text, caret, isFocused, refusal: ownRefusal, listSpans });
  const submit = (typed: string = text) => {
    const wanted = typed.trim();
    list.close();
    if (readBox(wanted, null, listSpans).mistake !== null) return reading.showMistake(typed);
    box.replace(typed);
    recent.remember(wanted);
    onSearch(wanted);
  };
  const choose = ({ edit, isWhole }: Option) => {
    if (edit === null) return recent.forgetAll();
    box.insert(edit.from, edit.to, edit.insert);
    const next = text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
    if (isWhole && readBox(next, null, listSpans).mistake === null) submit(next);
    else list.show(null);
  };
  const replace = (whole: string) => {
    box.insert(0, text.length, whole);
    submit(whole);
  };
  const handlers = {
    onChange: ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
      const { value, selectionEnd } = target;
      box.syncPlace();
      if (isTermBegun({ text: value, caret: selectionEnd ?? value.length })) list.show(null);
      else list.close();
      onType?.(value, nativeEvent);
    },
    onSelect: box.syncPlace,
    onClick: () => text === '' && list.show(null),
    onPointerEnter: () => attention.state === 'none' && attention.set('near'),
    onFocus: () => attention.set('focus'),
    onBlur: () => {
      attention.set('near');
      list.close();
    },
  };
  return {
    input,
    text,
    caret,
    isFocused,
    list,
    recent,
    spans: reading.spans,
    mistake: reading.mistake,
    submit,
    choose,
    replace,
    handlers,
  };
}
