/** Follows a search live: shows new entries at once, or holds them while paused. */
import { addressOf } from '@tapedeck/client';
import { useEffect, useReducer, useRef } from 'react';
import type { LogEntry } from '../../queries/logs.ts';
import { composeLogQuestion, keyOf, type LogSearch } from './search.ts';
import { openStream, type StreamState } from './stream.ts';

export type TailState = 'off' | StreamState;

export type Tail = {
  state: TailState;
  /** Why the service refused. */
  words: string;
  /** Newest first. */
  entries: readonly LogEntry[];
  /** Number of dropped entries between the results and `entries`. */
  missing: number;
  /** Resets `missing` after a search found them. */
  forgetMissing: () => void;
  /** Number of entries that arrived while paused. */
  waiting: number;
  isPaused: boolean;
  setPaused: (isPaused: boolean) => void;
};

const keptEntriesMax = 5_000; // beyond it the oldest are dropped; a search finds them again
const drawIntervalMs = 150; // entries are shown in batches

/** The newest entries, and how many others were dropped. */
type Kept = { entries: readonly LogEntry[]; missing: number };
type Followed = { state: TailState; words: string; shown: Kept; waiting: Kept; isPaused: boolean };
type Known = ReadonlySet<string>;
type Event =
  | { type: 'state'; state: TailState; words: string }
  | { type: 'arrived'; arrived: Kept; known: Known }
  | { type: 'paused'; isPaused: boolean; known: Known }
  | { type: 'found' }
  | { type: 'reset' };

const none: Kept = { entries: [], missing: 0 };
const nothing: Followed = { state: 'off', words: '', shown: none, waiting: none, isPaused: false };

function follow(before: Followed, event: Event): Followed {
  if (event.type === 'reset') return nothing;
  if (event.type === 'found') return { ...before, shown: { ...before.shown, missing: 0 } };
  if (event.type === 'state') return { ...before, state: event.state, words: event.words };
  const { shown, waiting, isPaused } = before;
  if (event.type === 'paused') {
    if (event.isPaused) return { ...before, isPaused: true };
    return { ...before, isPaused: false, shown: putInFront(waiting, shown, event.known), waiting: none };
  }
  if (isPaused) return { ...before, waiting: putInFront(event.arrived, waiting, event.known) };
  return { ...before, shown: putInFront(event.arrived, shown, event.known) };
}

/** Joins newer entries to older ones. May drop `known` entries; a gap among the newer ones drops all behind it. */
function putInFront(newer: Kept, older: Kept, known: Known): Kept {
  const all = [...newer.entries, ...older.entries];
  const gone = all.slice(newer.missing > 0 ? newer.entries.length : keptEntriesMax);
  const missing = gone.reduce((sum, { traceId }) => sum + (known.has(traceId) ? 0 : 1), 0);
  return {
    entries: all.slice(0, all.length - gone.length),
    missing: newer.missing + older.missing + missing,
  };
}

type TailProps = {
  project: string;
  search: LogSearch;
  /** The search's results. */
  known: Known;
  /** Called when a new connection starts that does not resume an earlier one. */
  onFollowing: () => void;
};

export function useTail(props: TailProps): Tail {
  const { project, search } = props;
  const [followed, dispatch] = useReducer(follow, nothing);
  const latest = useRef(props);
  latest.current = props;
  const key = keyOf(search);
  const isLive = search.live !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the search
  useEffect(() => {
    dispatch({ type: 'reset' });
    if (!isLive) return;
    const gulps = collectGulps(arrived =>
      dispatch({ type: 'arrived', arrived, known: latest.current.known }),
    );
    const close = openStream(addressOfTail(project, latest.current.search), {
      onState: (state, { isResumed, words }) => {
        dispatch({ type: 'state', state, words });
        // A new search finds what came between the search and the connection.
        if (state === 'following' && !isResumed) latest.current.onFollowing();
      },
      onEntry: gulps.take,
    });
    return () => {
      gulps.end();
      close();
    };
  }, [project, key, isLive]);
  const { state, words, shown, waiting, isPaused } = followed;
  return {
    state,
    words,
    entries: shown.entries,
    missing: shown.missing,
    forgetMissing: () => dispatch({ type: 'found' }),
    waiting: waiting.entries.length + waiting.missing,
    isPaused,
    setPaused: wanted => dispatch({ type: 'paused', isPaused: wanted, known: latest.current.known }),
  };
}

function addressOfTail(project: string, search: LogSearch): string {
  const { from: _from, to: _to, ...query } = composeLogQuestion(search, Date.now());
  return addressOf('tailProjectLogs', { params: { project }, query });
}

function collectGulps(onArrived: (arrived: Kept) => void) {
  let arrived: LogEntry[] = [];
  const draw = setInterval(() => {
    if (arrived.length === 0) return;
    const missing = Math.max(0, arrived.length - keptEntriesMax);
    onArrived({ entries: arrived.slice(missing).reverse(), missing });
    arrived = [];
  }, drawIntervalMs);
  return { take: (entry: LogEntry) => void arrived.push(entry), end: () => clearInterval(draw) };
}
