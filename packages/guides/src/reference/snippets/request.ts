/** The example request that an operation's samples send in each language. */
import { makeExample } from '../examples.ts';
import type { Api, Operation } from '../operations.ts';

export type SampleBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; file: string }
  | { kind: 'bytes'; file: string; type: string }
  | { kind: 'text'; type: string; text: string };

export type SampleRequest = {
  method: string;
  /** With the service's address and filled-in parameters. */
  url: string;
  /** Headers besides those for the credential and the body. */
  headers: readonly (readonly [name: string, value: string])[];
  /** The kind of credential; null: anyone may call it. */
  credential: 'token' | 'session' | null;
  body: SampleBody | null;
  /** Whether the operation accepts the raw bytes instead of a form. */
  acceptsBytes: boolean;
};

export const rawType = 'application/octet-stream';

export const sessionCookie = 'tapedeck_session';

/** For operations that take only one type of media, by the end of their path. */
const sampleFiles: readonly (readonly [end: string, file: string])[] = [
  ['/image', 'photo.png'],
  ['/audio', 'voice.mp3'],
];

export function composeRequest(api: Api, operation: Operation, address: string): SampleRequest {
  const { method, parameters, needsBody, bodies, credentials } = operation;
  const fill = (name: string, schema: object) =>
    String(makeExample(api, schema, { extent: 'required', name }));
  let path = operation.path;
  const query = new URLSearchParams();
  const headers: [string, string][] = [];
  for (const { name, in: place, required, schema } of parameters) {
    if (place === 'path') path = path.replace(`{${name}}`, nameValue(name, fill(name, schema)));
    else if (!required && schema.examples === undefined) continue;
    else if (place === 'header') headers.push([name, fill(name, schema)]);
    else query.set(name, fill(name, schema));
  }
  const search = query.size > 0 ? `?${query}` : '';
  return {
    method,
    url: `${address}${path}${search}`,
    headers,
    credential: chooseCredential(credentials),
    body: needsBody ? composeBody(api, operation) : null,
    acceptsBytes: bodies.some(({ type }) => type === '*/*'),
  };
}

/** Prefers tokens, which programs have. A session is for operations that no token may call. */
function chooseCredential(credentials: readonly string[]): SampleRequest['credential'] {
  if (credentials.length === 0) return null;
  return credentials.every(name => name === 'session') ? 'session' : 'token';
}

/** A path's own placeholder says more than a made-up id. */
function nameValue(name: string, value: string): string {
  return value === '…' ? name.toUpperCase() : value;
}

function composeBody(api: Api, { method, path, bodies }: Operation): SampleBody | null {
  const file = sampleFiles.find(([end]) => path.endsWith(end))?.[1] ?? 'clip.mp4';
  const json = bodies.find(({ type }) => type === 'application/json');
  const form = bodies.find(({ type }) => type === 'multipart/form-data');
  const bytes = bodies.find(({ type }) => type === '*/*');
  // Programs that send PUT send the bytes alone.
  if (bytes !== undefined && method === 'PUT') return { kind: 'bytes', file, type: rawType };
  if (form !== undefined && hasFile(api, form.schema)) return { kind: 'form', file };
  if (json !== undefined) return { kind: 'json', value: fillIfEmpty(api, json.schema) };
  if (form !== undefined) return { kind: 'form', file };
  const [first] = bodies;
  if (first === undefined) return null;
  return /^text\//.test(first.type)
    ? { kind: 'text', type: first.type, text: 'player joined' }
    : { kind: 'bytes', file, type: first === bytes ? rawType : first.type };
}

/** Fills a body with optional fields if none is required. */
function fillIfEmpty(api: Api, schema: object): unknown {
  const least = makeExample(api, schema, { extent: 'required' });
  const isEmpty = typeof least === 'object' && least !== null && Object.keys(least).length === 0;
  return isEmpty ? makeExample(api, schema, { extent: 'all' }) : least;
}

export function hasFile(api: Api, schema: object): boolean {
  const { properties = {} } = api.resolve(schema).schema;
  return 'file' in properties;
}
