/** Sends webhook messages with files as forms and reads back what was stored, for tests. */

import { WebhookMessage } from '@tapedeck/contract/chatWebhooks';
import { listFiles } from '@tapedeck/contract/files';
import { smallPng } from '@tapedeck/media-facts/samples';
import { withToken } from './client.ts';
import { readAs } from './jsonAnswers.ts';
import { addPerson, addToken } from './people.ts';
import type { TestService } from './service.ts';
import { openLogBook } from './storedEntries.ts';
import { composeForm, type FormEntry, mediaToken } from './uploading.ts';

export const shot: FormEntry = ['files[]', { bytes: smallPng, filename: 'screenshot.png' }];

export function payload(message: object): FormEntry {
  return ['payload_json', JSON.stringify(message)];
}

export type Sending = { token?: string; query?: string; headers?: Record<string, string>; path?: string };

/** Needs a service with the tests' media token. */
export async function openMessages(service: TestService) {
  const owner = await addPerson(service, { isOwner: true });
  const book = await openLogBook(service);
  const { token } = await addToken(owner, { kind: 'webhook' });

  function post(entries: readonly FormEntry[], sending: Sending = {}): Promise<Response> {
    const { token: by = token, query = '', headers, path = `/api/webhooks/1/${by}` } = sending;
    const init = { method: 'POST', body: composeForm(entries), ...(headers && { headers }) };
    return service.fetch(`${path}?${query}`, init);
  }

  /** Sends a form; resolves to the response with what was stored. */
  async function send(entries: readonly FormEntry[], sending: Sending = {}) {
    const dataset = book.newDataset();
    const query = `dataset=${dataset}&${sending.query ?? ''}`;
    const message = await readAs(WebhookMessage, await post(entries, { ...sending, query }));
    return { message, stored: await book.read(dataset) };
  }

  async function countFiles(): Promise<number> {
    return (await withToken(service, mediaToken).call(listFiles)).pagination.total;
  }

  return { owner, book, token, post, send, countFiles };
}
