/**
 * Defines a protocol: its routes as data, how it reads a body, and how it answers and refuses. The server does HTTP, tokens, limits and
 * storing.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Failure } from '@tapedeck/values/failure';
import type { JsonObject } from '@tapedeck/values/json';
import type { DirectTask } from './direct/writer.ts';
import type { SentEntry, Wording } from './reading/sentEntry.ts';

/** A request without its body. */
export type ProtocolRequest = {
  method: string;
  /** That of the route, as it is listed. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Texts, or lists of them where a name is repeated. */
  query: Readonly<Record<string, unknown>>;
  params: Readonly<Record<string, string | undefined>>;
};

export type ProtocolAnswer = {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Readonly<Record<string, string>>;
};

type RoutePlace = {
  id: string;
  /** A path from the server's root, with `{name}` for parameters and, at the end, `{name*}` for one that holds slashes. */
  path: string;
  summary: string;
};

/**
 * `declared`: as Content-Encoding says. `detected`: zlib and gzip by their first bytes, ignoring the declaration. `none`: the protocol
 * unpacks the body itself.
 */
export type BodyEncoding = 'declared' | 'detected' | 'none';

/** A route that takes entries. */
export type EntryRoute<Options extends object> = RoutePlace & {
  method: 'POST' | 'PUT';
  /** The token is the parameter `token` of the path. */
  isTokenInPath: boolean;
  /** Finds the token at the beginning of a body whose request names none. null: there is none; undefined: it needs more of the body. */
  findBodyToken: ((text: string) => string | null | undefined) | null;
  bodyEncoding(request: ProtocolRequest): BodyEncoding;
  /** For bodies of any length; null: they are read whole. `pieceBytesMax` is what a piece may hold. */
  openPieces: ((pieceBytesMax: number) => BodyPieces) | null;
  /** The protocol that the body belongs to, where several share the path; null: this one. */
  findOther(request: ProtocolRequest, body: Buffer): OtherProtocol | null;
  /** Kinds of tokens that may send here. */
  tokenKinds: readonly ('logs' | 'sdk' | 'webhook')[];
  /** Entries that name no dataset go to the one that the token is limited to, if there is one. */
  usesDatasetOfToken: boolean;
  /** Files in the body, which are kept where the token is for files, too. */
  listFiles(body: Buffer): readonly RequestFile[];
  /** The folder for files. */
  filesFolder: string;
  /** Reads options from the request besides its body. They must be transferable to another thread. `files` describes each stored file. */
  readOptions(request: ProtocolRequest, files: readonly JsonObject[]): Options;
  answer(taken: TakenBody): ProtocolAnswer;
};

/** Cuts a body that may be of any length into pieces, each of which can be read by itself. */
export type BodyPieces = {
  readonly pendingBytes: number;
  /** The pieces that are complete with these bytes. */
  add(chunk: Buffer): Buffer[];
  /** Returns the rest at the end. */
  finish(): Buffer;
};

export type RequestFile = { filename: string; bytes: Buffer };

export type OtherProtocol = { protocol: Protocol; route: EntryRoute<object> };

/** A body whose entries are stored. */
type TakenBody = {
  request: ProtocolRequest;
  /** The result of `show`. */
  shown: unknown;
  /** The dataset of entries that name none. */
  dataset: string;
  elapsedMs: number;
};

/** A route that takes no entries: clients ask it before or after they send. */
export type QuestionRoute = RoutePlace & {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Whether it needs a token that may send entries. */
  needsToken: boolean;
  /** `body` is null on routes that are asked without one. Throws `ProtocolFailure`. */
  answer(request: ProtocolRequest, body: Buffer | null, server: ServerFacts): ProtocolAnswer;
};

/** `host` is the address of the server for clients, with its port. */
type ServerFacts = { version: string; host: string };

/** `bytesMax` is what a body may hold, unpacked; `usualDataset` is that of entries that name none. */
type ReadingRules = Wording & { bytesMax: number; usualDataset: string };

/** The entries of a body. */
type ReadEntries = {
  entries: readonly SentEntry[];
  /** null: an entry that cannot be stored refuses them all. */
  judgement: Judgement | null;
};

/** Is told of each entry that cannot be stored, and shows it at the end. */
export type Judgement = { refuse(index: number, failure: Failure): void; show(): unknown };

/** The traceId of the first entry, and what the answer shows. */
export type WrittenEntries = { traceId: string; shown: unknown };

/** A request that is refused: the status and code of the service, and its sentence. */
export type Refusal = {
  status: number;
  code: string;
  sentence: string;
  /** The entry's index, from zero. */
  index: number | undefined;
  field: string | undefined;
  retryAfterSeconds: number | undefined;
};

export type Protocol<Options extends object = object> = {
  name: string;
  entryRoutes: readonly EntryRoute<Options>[];
  questionRoutes: readonly QuestionRoute[];
  /** Throws `ProtocolFailure` where the body cannot be read. */
  read(body: Buffer, options: Options, rules: ReadingRules): ReadEntries;
  /** Writes a body without making values of it; null where it does not: then `read` is asked. */
  write(task: DirectTask, body: Buffer, rules: Wording & { options: Options }): WrittenEntries | null;
  /** null: failures have the form of the service's own. */
  refuse: ((refusal: Refusal, request: ProtocolRequest) => ProtocolAnswer) | null;
};

const entryRouteDefaults = {
  method: 'POST',
  isTokenInPath: false,
  findBodyToken: null,
  bodyEncoding: () => 'declared',
  openPieces: null,
  findOther: () => null,
  tokenKinds: ['logs', 'sdk'],
  usesDatasetOfToken: false,
  listFiles: () => [],
  filesFolder: '',
} as const satisfies Partial<EntryRoute<object>>;
type EntryRouteDefaults = keyof typeof entryRouteDefaults;
type GivenEntryRoute<Options extends object> = Omit<EntryRoute<Options>, EntryRouteDefaults> &
  Partial<Pick<EntryRoute<Options>, EntryRouteDefaults>>;

/** A route like most. */
export function defineEntryRoute<Options extends object>(
  route: GivenEntryRoute<Options>,
): EntryRoute<Options> {
  return { ...entryRouteDefaults, ...route };
}

/** For protocols whose bodies are always read into values. */
export function writeNothing(): null {
  return null;
}

export const jsonType = 'application/json';
export const textType = 'text/plain; charset=utf-8';

export function answerJson(status: number, value: unknown): ProtocolAnswer {
  return { status, type: jsonType, body: JSON.stringify(value) };
}

/** Whether a request says that its body is Protocol Buffers. */
export function isProtobuf({ headers }: Pick<ProtocolRequest, 'headers'>): boolean {
  return /^\s*application\/(?:x-|vnd\.google\.)?protobuf\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

/** The texts that the address gives under these names. */
export function readTexts(
  { query }: Pick<ProtocolRequest, 'query'>,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}
