/** Follows a search live: what arrives is shown at once, or waits while it is paused. */
import { addressOf } from '@tapedeck/client';
import { useEffect, useReducer, useRef } from 'react';
import type { LogEntry } from '../../queries/logs.ts';
import { askLogs, keyOf, type LogSearch } from './search.ts';

export type TailState = 'off' | 'connecting' | 'following' | 'broken';

export type Tail = {
  state: TailState;
  /** Newest first. */
  entries: readonly LogEntry[];
  /** How many have come since it was paused. */
  waiting: number;
  isPaused: boolean;
  setPaused: (isPaused: boolean) => void;
};

const keptEntriesMax = 5_000; // beyond it the oldest go; a search finds them again
const drawIntervalMs = 150; // a flood is shown in gulps
/** How often the histogram is counted anew while entries are followed. */
export const recountIntervalMs = 5_000;
/** How often facets are: to count one among many million entries keeps the service busy for seconds. */
export const facetRecountIntervalMs = 10_000;

type Followed = { state: TailState; shown: LogEntry[]; waiting: LogEntry[]; isPaused: boolean };
type Event =
  | { type: 'state'; state: TailState }
  | { type: 'arrived'; entries: LogEntry[] }
  | { type: 'paused'; isPaused: boolean }
  | { type: 'reset' };

const nothing: Followed = { state: 'off', shown: [], waiting: [], isPaused: false };

function follow(before: Followed, event: Event): Followed {
  if (event.type === 'reset') return nothing;
  if (event.type === 'state') return { ...before, state: event.state };
  if (event.type === 'paused') {
    if (event.isPaused) return { ...before, isPaused: true };
    return { ...before, isPaused: false, shown: putInFront(before.waiting, before.shown), waiting: [] };
  }
  if (before.isPaused) return { ...before, waiting: putInFront(event.entries, before.waiting) };
  return { ...before, shown: putInFront(event.entries, before.shown) };
}

function putInFront(entries: readonly LogEntry[], others: readonly LogEntry[]): LogEntry[] {
  return [...entries, ...others].slice(0, keptEntriesMax);
}

type TailProps = { project: string; search: LogSearch; isLive: boolean; onFollowing: () => void };

export function useTail({ project, search, isLive, onFollowing }: TailProps): Tail {
  const [followed, dispatch] = useReducer(follow, nothing);
  const latest = useRef({ search, onFollowing });
  latest.current = { search, onFollowing };
  const key = keyOf(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the search
  useEffect(() => {
    dispatch({ type: 'reset' });
    if (!isLive) return;
    dispatch({ type: 'state', state: 'connecting' });
    return openStream(addressOfTail(project, latest.current.search), {
      onState: state => {
        dispatch({ type: 'state', state });
        // What came between the search and the connection is found by searching again.
        if (state === 'following') latest.current.onFollowing();
      },
      onEntries: entries => dispatch({ type: 'arrived', entries }),
    });
  }, [project, key, isLive]);
  return {
    state: followed.state,
    entries: followed.shown,
    waiting: followed.waiting.length,
    isPaused: followed.isPaused,
    setPaused: isPaused => dispatch({ type: 'paused', isPaused }),
  };
}

function addressOfTail(project: string, search: LogSearch): string {
  const { from: _from, to: _to, ...query } = askLogs(search, Date.now());
  return addressOf('tailProjectLogs', { params: { project }, query });
}

type StreamEvents = { onState: (state: TailState) => void; onEntries: (entries: LogEntry[]) => void };

function openStream(address: string, { onState, onEntries }: StreamEvents): () => void {
  const source = new EventSource(address);
  let arrived: LogEntry[] = [];
  const draw = setInterval(() => {
    if (arrived.length === 0) return;
    onEntries(arrived);
    arrived = [];
  }, drawIntervalMs);
  source.onopen = () => onState('following');
  // The browser connects again by itself, unless the service refused.
  source.onerror = () => onState(source.readyState === EventSource.CLOSED ? 'broken' : 'connecting');
  source.onmessage = ({ data }) => {
    // The contract's shape of what is sent here.
    arrived.unshift(JSON.parse(String(data)) as LogEntry);
    if (arrived.length > keptEntriesMax) arrived.length = keptEntriesMax;
  };
  return () => {
    clearInterval(draw);
    source.close();
  };
}
