/** The state of the box: what is typed, what it may become, and when it is searched for. */
import { useQueryClient } from '@tanstack/react-query';
import { listFileSpans } from '@tapedeck/log-query-language';
import { type ChangeEvent, useState } from 'react';
import { filesKey } from '../../../queries/files.ts';
import { useBoxText } from '../../logs/box/boxText.ts';
import type { Group, Option } from '../../logs/box/completion.ts';
import { useList } from '../../logs/box/optionList.ts';
import type { QueryBoxState } from '../../logs/box/queryBox.ts';
import { readBox, useMistake } from '../../logs/box/queryErrors.ts';
import { useRecentSearches } from '../../logs/box/recentSearches.ts';
import { isFileTermBegun, listFileOptions } from './fileCompletion.ts';
import { useFileValues } from './fileValues.ts';

export type FileBoxProps = {
  project: string;
  query: string;
  onChange: (query: string) => void;
  /** Why the service answers nothing. */
  refusal: Error | null;
};

const noGroups: readonly Group[] = [];

export function useFileBox({ project, query, onChange, refusal }: FileBoxProps): QueryBoxState {
  const box = useBoxText(query);
  const { text, caret, input } = box;
  const [attention, setAttention] = useState<'none' | 'near' | 'focus'>('none');
  const recent = useRecentSearches(project, 'files');
  const isFocused = attention === 'focus';
  const known = useFileValues({ project, place: box, isNeeded: attention !== 'none' });
  const groups = isFocused ? listFileOptions(box, { ...known, searches: recent.searches }) : noGroups;
  const list = useList(groups);
  const ownRefusal = text.trim() === query ? refusal : null;
  const mistakes = useMistake({ text, caret, isFocused, refusal: ownRefusal, list: listFileSpans });
  const queries = useQueryClient();
  const submit = (typed: string = text) => {
    const wanted = typed.trim();
    list.close();
    if (readBox(wanted, null, listFileSpans).mistake !== null) return mistakes.tell(typed);
    box.settle(typed);
    recent.remember(wanted);
    if (wanted === query) void queries.invalidateQueries({ queryKey: filesKey(project) });
    else onChange(wanted);
  };
  const choose = ({ edit, isWhole }: Option) => {
    if (edit === null) return recent.forgetAll();
    box.insert(edit.from, edit.to, edit.insert);
    const next = text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
    if (isWhole && readBox(next, null, listFileSpans).mistake === null) submit(next);
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
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) => {
        const { value, selectionEnd } = target;
        box.note();
        if (isFileTermBegun({ text: value, caret: selectionEnd ?? value.length })) list.show(null);
        else list.close();
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
