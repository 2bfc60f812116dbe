/** Sends JSON requests to a service, with patient retries. */
import { ApiError, attempt, type Patience, persist, requireOk } from '@tapedeck/client';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

type Sent = {
  method: string;
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  body?: string | FormData | Uint8Array<ArrayBuffer>;
};

export class Remote {
  readonly baseUrl: string;
  readonly token: string;
  readonly #patience: Patience;

  constructor({ baseUrl, token }: { baseUrl: string; token: string }, patience: Patience) {
    this.baseUrl = baseUrl;
    this.token = token;
    this.#patience = patience;
  }

  get(path: string, query: Query = {}, patience?: Patience): Promise<unknown> {
    return this.#call(path, { method: 'GET', query }, patience);
  }

  /** May be retried, because the caller sends an Idempotency-Key. */
  post(path: string, sent: Omit<Sent, 'method'>): Promise<unknown> {
    return this.#call(path, { ...sent, method: 'POST' });
  }

  async #call(
    path: string,
    { method, query = {}, headers, body }: Sent,
    patience: Patience = this.#patience,
  ): Promise<unknown> {
    const url = `${this.baseUrl}${path}${writeQuery(query)}`;
    const init: RequestInit = { method, headers: { ...headers, Authorization: this.token } };
    if (body !== undefined) init.body = body;
    const { requestTimeoutMs } = patience;
    const response = await persist(
      async () => requireOk(await attempt(url, init, requestTimeoutMs)),
      patience,
    );
    try {
      return await response.json();
    } catch (cause) {
      const sentence = `${url.split('?')[0]} answers with something that is not JSON; check the address.`;
      throw new ApiError({ status: response.status, code: 'unreadable_answer' }, sentence, { cause });
    }
  }
}

function writeQuery(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}
