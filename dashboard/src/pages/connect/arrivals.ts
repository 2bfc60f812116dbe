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

const lookAgainMs = 2_000; // the service records token uses every few seconds

type Watched = { project: string; made: MadeToken; sends: 'logs' | 'media' | 'both' };

type Arrived = { entry: LogEntry | null; file: FileRecord | null; isUsed: boolean };

export function useTokenUse({ project, made }: Omit<Watched, 'sends'>): boolean {
  const { data: isUsed = false } = useQuery({
    ...tokensQuery(project),
    select: tokens => tokens.some(({ id, lastUsedAt }) => id === made.id && lastUsedAt !== null),
    refetchInterval: ({ state }) =>
      !state.data?.some(({ id, lastUsedAt }) => id === made.id && lastUsedAt !== null) && lookAgainMs,
  });
  return isUsed;
}

/** Others may send to the same place, so nothing counts before the token was used. */
export function useArrival({ project, made, sends }: Watched): Arrived {
  const isUsed = useTokenUse({ project, made });
  const isOfLogs = sends !== 'media';
  const followed = useArriving(project, isOfLogs ? made.dataset : null, isUsed);
  // Finds what arrived before this page listened, as for a user who left and returned.
  const { data: found = null } = useQuery({
    ...newestEntryQuery(project, { dataset: made.dataset, from: made.createdAt }),
    enabled: isOfLogs && isUsed && followed === null,
    refetchInterval: ({ state }) => !state.data && lookAgainMs,
  });
  const { data: file = null } = useQuery({
    ...newestFileQuery(project, { path: made.folder || undefined, since: made.createdAt }),
    enabled: !isOfLogs,
    refetchInterval: ({ state }) => !state.data && lookAgainMs,
  });
  return { entry: followed ?? found, file, isUsed };
}

/** Returns the newest entry that arrives in the dataset, and stops following once the token was used. */
function useArriving(project: string, dataset: string | null, isSettled: boolean): LogEntry | null {
  const [newest, setNewest] = useState<LogEntry | null>(null);
  const isDone = isSettled && newest !== null;
  useEffect(() => {
    if (dataset === null || isDone) return;
    const address = addressOf('tailProjectLogs', { params: { project }, query: { dataset } });
    return openStream(address, { onState: () => undefined, onEntry: setNewest });
  }, [project, dataset, isDone]);
  return newest;
}
