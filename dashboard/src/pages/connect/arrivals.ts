/** Watches for the first use of a new token, and for the data that follows. */

import { useQuery } from '@tanstack/react-query';
import { addressOf } from '@tapedeck/client';
import { useEffect, useState } from 'react';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { newestFileQuery } from '../../queries/files.ts';
import { type LogEntry, newestEntryQuery } from '../../queries/logs.ts';
import { tokensQuery } from '../../queries/tokens.ts';
import { openStream } from '../logs/stream.ts';
import type { MadeToken } from './madeToken.ts';

const refetchMs = 2_000; // the service records token uses every few seconds

type Watched = { project: string; made: MadeToken; sends: 'logs' | 'media' | 'both' };

type Arrived = {
  entry: LogEntry | null;
  file: FileRecord | null;
  isUsed: boolean;
  /** Something came, but perhaps with another token. */
  isArriving: boolean;
};

export function useTokenUse({ project, made }: Omit<Watched, 'sends'>): boolean {
  const { data: isUsed = false } = useQuery({
    ...tokensQuery(project),
    select: tokens => tokens.some(({ id, lastUsedAt }) => id === made.id && lastUsedAt !== null),
    refetchInterval: ({ state }) =>
      !state.data?.some(({ id, lastUsedAt }) => id === made.id && lastUsedAt !== null) && refetchMs,
  });
  return isUsed;
}

/**
 * Others may send to the same place. So once the token was used, it asks again for the newest entry or file: what came before may be
 * theirs.
 */
export function useArrival({ project, made, sends }: Watched): Arrived {
  const isUsed = useTokenUse({ project, made });
  const isOfLogs = sends !== 'media';
  const newestEntry = newestEntryQuery(project, { dataset: made.dataset, from: made.createdAt });
  const { data: found, isSuccess: isAsked } = useQuery({
    ...newestEntry,
    enabled: isOfLogs && isUsed,
    refetchInterval: ({ state }) => !state.data && refetchMs,
  });
  const { newest: followed, streams } = useArriving(project, isOfLogs && !found ? made.dataset : null);
  const { data: missed = null } = useQuery({
    ...newestEntry,
    queryKey: [...newestEntry.queryKey, `missed ${streams}`],
    enabled: streams > 0,
  });
  const newestFile = newestFileQuery(project, { path: made.folder || undefined, since: made.createdAt });
  const { data: file = null } = useQuery({
    ...newestFile,
    queryKey: [...newestFile.queryKey, isUsed ? 'used' : 'unused'],
    enabled: !isOfLogs,
    refetchInterval: ({ state }) => !state.data && refetchMs,
  });
  // The query finds nothing if the sender's clock is behind.
  return {
    entry: found ?? (isAsked ? followed : null),
    file,
    isUsed,
    isArriving: (followed ?? missed ?? file) !== null,
  };
}

type Arriving = {
  newest: LogEntry | null;
  /** Counts the streams that began. What came before each of them may be missing. */
  streams: number;
};

/** Follows what arrives in the dataset; nothing without one. */
function useArriving(project: string, dataset: string | null): Arriving {
  const [newest, setNewest] = useState<LogEntry | null>(null);
  const [streams, setStreams] = useState(0);
  useEffect(() => {
    if (dataset === null) return;
    const address = addressOf('tailProjectLogs', { params: { project }, query: { dataset } });
    return openStream(address, {
      onState: (state, { isResumed }) => {
        if (state === 'following' && !isResumed) setStreams(count => count + 1);
      },
      onEntry: setNewest,
    });
  }, [project, dataset]);
  return { newest, streams };
}
