/** Finds entries at the destination that an import created, by their traceIds at the source. */
import { createClient, exportEntries } from '@tapedeck/client';
import { formatMicros } from '@tapedeck/log-entries';
import type { Remote } from './remote.ts';

export const traceIdPath = 'imported.traceId';

const idsPerQuestion = 40; // fits the 2 KiB of a query
const idCharactersMax = 40; // longer ids are not traceIds

export type MicrosRange = { fromMicros: number; toMicros: number };

/** Imported entries by their traceId at the source. */
export class ImportedEntries {
  readonly #settings: { baseUrl: string; token: string };

  constructor({ baseUrl, token }: Remote) {
    this.#settings = { baseUrl, token };
  }

  async readRange(dataset: string, { fromMicros, toMicros }: MicrosRange): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const query = {
      dataset,
      query: `${traceIdPath}:*`,
      from: formatMicros(fromMicros),
      to: formatMicros(toMicros),
      order: 'asc',
    };
    for await (const { traceId, metadata } of exportEntries(this.#settings, { query })) {
      const old = metadata[traceIdPath];
      if (old !== undefined) found.set(old, traceId);
    }
    return found;
  }

  /** Finds entries in any dataset. */
  async find(ids: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const knownIds = ids.filter(id => id.length <= idCharactersMax);
    const client = createClient(this.#settings);
    for (let start = 0; start < knownIds.length; start += idsPerQuestion) {
      const words = knownIds
        .slice(start, start + idsPerQuestion)
        .map(quote)
        .join(',');
      const query = { dataset: '*', query: `${traceIdPath}:(${words})`, limit: 100 };
      const { data } = await client.queryLogs({ query });
      for (const { traceId, metadata } of data) {
        const old = metadata[traceIdPath];
        if (old !== undefined) found.set(old, traceId);
      }
    }
    return found;
  }
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
