/** Turns a call into a request, and the response into a value or a `TapedeckError`. */
import type { CallOptions, Client, Input, RouteId } from './api.ts';
import { readError, TapedeckError } from './errors.ts';
import { routeTable } from './routes.ts';

export type ClientSettings = {
  /** The service's address; empty in a page served by the service. */
  baseUrl?: string;
  /** An API token. Without it, the browser's session cookie identifies the user. */
  token?: string;
  fetch?: typeof fetch;
};

type Scalar = string | number | boolean;
type RawInput = {
  params?: Readonly<Record<string, Scalar>>;
  query?: Readonly<Record<string, Scalar | undefined>>;
  body?: unknown;
};

export function createClient(settings: ClientSettings = {}): Client {
  const calls = Object.entries(routeTable).map(([id, route]) => [
    id,
    (input?: RawInput, options?: CallOptions) => call(settings, route, { ...input, ...options }),
  ]);
  // Table and type derive from the same contract.
  return Object.fromEntries(calls) as Client;
}

/** Returns the address of a route, for code that sends its own requests: links, event sources, upload progress. */
export function addressOf<Id extends RouteId>(id: Id, input: Pick<Input<Id>, 'params' | 'query'>): string {
  const [, template = ''] = (routeTable[id] ?? '').split(' ');
  // RawInput accepts every route's parameters and query.
  return fillPath(template, input as RawInput);
}

async function call(
  settings: ClientSettings,
  route: string,
  input: RawInput & CallOptions,
): Promise<unknown> {
  return readAnswer(await request(settings, route, input));
}

/** Returns the response before its body is read, for streaming. Rejects like a call. */
export function openAnswer<Id extends RouteId>(
  settings: ClientSettings,
  id: Id,
  input: Pick<Input<Id>, 'params' | 'query'> & CallOptions & { headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  // RawInput accepts it.
  return request(settings, routeTable[id] ?? '', input as RawInput & CallOptions);
}

async function request(
  settings: ClientSettings,
  route: string,
  input: RawInput & CallOptions & { headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const [method = 'GET', template = ''] = route.split(' ');
  const url = (settings.baseUrl ?? '').replace(/\/+$/, '') + fillPath(template, input);
  const { type, content } = writeBody(input.body);
  const headers: Record<string, string> = { ...input.headers };
  if (settings.token !== undefined) headers.Authorization = settings.token;
  if (type !== null) headers['Content-Type'] = type;
  const sent: RequestInit = { method, headers, body: content };
  if (input.signal) sent.signal = input.signal;

  const response = await send(settings.fetch ?? fetch, url, sent);
  if (!response.ok) throw await readError(response);
  return response;
}

/** A form sets its own content type, including the boundary. */
function writeBody(body: unknown): { type: string | null; content: FormData | string | null } {
  if (body === undefined) return { type: null, content: null };
  if (body instanceof FormData) return { type: null, content: body };
  if (typeof body === 'string') return { type: 'text/plain', content: body };
  return { type: 'application/json', content: JSON.stringify(body) };
}

async function send(fetchIt: typeof fetch, url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetchIt(url, request);
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    const sentence = 'The service cannot be reached; check the connection and try again.';
    throw new TapedeckError({ status: 0, code: 'unreachable' }, sentence, { cause });
  }
}

async function readAnswer(response: Response): Promise<unknown> {
  if (!response.headers.get('Content-Type')?.startsWith('application/json')) return response.text();
  try {
    return await response.json();
  } catch (cause) {
    const sentence = 'The response of the service was cut off; try again.';
    throw new TapedeckError({ status: response.status, code: 'unreadable_answer' }, sentence, { cause });
  }
}

function fillPath(template: string, { params, query }: RawInput): string {
  // `{name*}` spans several path segments. Their slashes stay unencoded because some proxies reject encoded ones.
  const path = template.replaceAll(/\{(\w+)(\*?)\}/g, (_, name: string, several: string) => {
    const value = String(params?.[name] ?? '');
    return several ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
  });
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) asked.append(name, String(value));
  }
  return asked.size > 0 ? `${path}?${asked}` : path;
}
