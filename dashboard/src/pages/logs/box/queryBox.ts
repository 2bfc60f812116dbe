/** How the box behaves: what is typed, completed, searched for, and found wrong. */
import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useState } from 'react';
import { entryQuery, logsKeyOf } from '../../../queries/logs.ts';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { readAddress, readTraceId } from './addresses.ts';
import { useBoxText } from './boxText.ts';
import { type Group, isBegun, listOptions, type Option } from './completion.ts';
import { useCompletionData } from './completionData.ts';
import { useList } from './optionList.ts';
import { readBox, useMistake } from './queryErrors.ts';
import { useRecentSearches } from './recentSearches.ts';

export type QueryBoxProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
  /** Why the service answers nothing. */
  refusal: Error | null;
  /** Whether a mistake is shown. */
  onMistake?: (hasMistake: boolean) => void;
  /** Of a form: what is typed counts at once, whatever it is. */
  isField?: boolean;
  label?: string;
  /** Stands below it while nothing is wrong. */
  hint?: string;
};

export type QueryBoxState = ReturnType<typeof useQueryBox>;

const noGroups: readonly Group[] = [];

export function useQueryBox({ project, search, onChange, refusal, isField = false }: QueryBoxProps) {
  const { query = '' } = search;
  const box = useBoxText(query);
  const { text, caret, input } = box;
  const [attention, setAttention] = useState<'none' | 'near' | 'focus'>('none');
  const recent = useRecentSearches(project);
  const isFocused = attention === 'focus';
  const known = useCompletionData({ project, search, place: box, isNeeded: attention !== 'none' });
  const list = useList(isFocused ? listOptions(box, { ...known, searches: recent.searches }) : noGroups);
  const mistakes = useMistake({ text, caret, isFocused, refusal: text.trim() === query ? refusal : null });
  const follow = useFollowing({ project, onChange, box });
  const queries = useQueryClient();
  const submit = (typed: string = text) => {
    const wanted = typed.trim();
    const { mistake } = readBox(wanted, null);
    list.close();
    if (mistake !== null) return mistakes.tell(typed);
    box.settle(typed);
    recent.remember(wanted);
    if (wanted === query) void queries.invalidateQueries(logsKeyOf(project));
    else onChange({ query: wanted });
    void follow(wanted);
  };
  const choose = ({ edit, isWhole }: Option) => {
    if (edit === null) return recent.forgetAll();
    box.insert(edit.from, edit.to, edit.insert);
    const next = text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
    if (isWhole && readBox(next, null).mistake === null) submit(next);
    else list.show(null);
  };
  return {
    ...{ input, text, caret, list, recent, submit, choose, isFocused },
    mistake: mistakes.mistake,
    spans: mistakes.spans,
    replace: (whole: string) => {
      box.insert(0, text.length, whole);
      submit(whole);
    },
    handlers: {
      onChange: ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
        const { value, selectionEnd } = target;
        box.note();
        if (isField) box.settle(value);
        if (isField) onChange({ query: value.trim() });
        if (isBegun({ text: value, caret: selectionEnd ?? value.length })) list.show(null);
        else list.close();
        if (value.length - text.length >= pastedCharactersMin || isPaste(nativeEvent)) void follow(value);
      },
      onSelect: box.note,
      onClick: () => text === '' && list.show(null),
      onPointerEnter: () => attention === 'none' && setAttention('near'),
      onFocus: () => setAttention('focus'),
      onBlur: () => {
        setAttention('near');
        list.close();
      },
    },
  };
}

const pastedCharactersMin = 20; // nobody types so many at once

function isPaste(event: Event): boolean {
  return event instanceof InputEvent && /^insertFrom(?:Paste|Drop)/.test(event.inputType);
}

type FollowingProps = {
  project: string;
  onChange: ChangeSearch;
  box: ReturnType<typeof useBoxText>;
};

/** What an address that is pasted does not say is not asked for. */
const nothing: LogSearch = {
  dataset: undefined,
  query: undefined,
  range: undefined,
  from: undefined,
  to: undefined,
  entry: undefined,
  live: undefined,
};

/** A traceId opens its entry, an address its search; anything else leads nowhere by itself. */
function useFollowing({ project, onChange, box }: FollowingProps) {
  const queries = useQueryClient();
  return async (text: string): Promise<void> => {
    const search = readAddress(text, project);
    const entry = readTraceId(text);
    if (search !== null) {
      box.settle(search.query ?? '');
      return onChange({ ...nothing, ...search });
    }
    if (entry === null) return;
    const isThere = await queries.fetchQuery(entryQuery(project, entry)).then(
      () => true,
      () => false, // it can be searched for as any text
    );
    if (!isThere || box.input.current?.value.trim() !== text.trim()) return;
    onChange({ entry });
    box.reset();
  };
}
