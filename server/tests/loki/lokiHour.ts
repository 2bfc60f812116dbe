/** An hour of entries, one every half minute, and one entry beside them in another dataset. */
import type { LokiClient } from './lokiEntries.ts';
import { at } from './lokiEntries.ts';

// Every third is an error, every fourth has no resource, and odd ones are JSON.
export const entries = Array.from({ length: 120 }, (_, index) => ({
  level: index % 3 === 0 ? 'error' : 'info',
  message:
    index % 2 === 1
      ? `{"status": ${400 + index}, "path": "/p${index % 5}"}`
      : `took=${index}ms user="Ann ${index % 4}" Paid`,
  resource: index % 4 === 0 ? '' : 'shop',
  metadata: { 'player.id': String(index % 3), ms: index * 10, ...(index === 60 && { odd: 'no number' }) },
  timestamp: at(index * 30),
}));

export const isJson = (index: number) => index % 2 === 1;

export async function storeHour({ store }: Pick<LokiClient, 'store'>): Promise<void> {
  await store(entries, 'game');
  await store([{ level: 'warn', message: 'aside', resource: 'shop', timestamp: at(60) }], 'other');
}
