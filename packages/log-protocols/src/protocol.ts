/**
 * Defines a protocol: its routes as data, how it reads a body, and how it answers and refuses. The server handles HTTP, tokens, limits and storage.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Failure } from '@tapedeck/values/failure';
import type { JsonObject } from '@tapedeck/values/json';
import type { DirectTask } from './direct/writer.ts';
import type { SentEntry, Wording } from './reading/sentEntry.ts';

export type ProtocolRequest = {
  method: string;
  /** The route's path, as listed. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Texts, or lists of texts for repeated names. */
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
  /** A path from the server's root, with `{name}` for parameters. `{name*}` at the end may contain slashes. */
  path: string;
  summary: string;
};

/**
 * `declared`: as Content-Encoding says. `detected`: zlib and gzip by their first bytes, ignoring the declaration. `none`: the protocol unpacks the
 * body itself.
 */
export type BodyEncoding = 'declared' | 'detected' | 'none';

/** A route that takes entries. */
export type EntryRoute<Options extends object> = RoutePlace & {
  method: 'POST' | 'PUT';
  /** The path parameter `token` holds the token. */
  isTokenInPath: boolean;
  /** Finds the token at the start of a body if the request has no other. null: there is none; undefined: it needs more bytes. */
  findBodyToken: ((text: string) => string | null | undefined) | null;
  bodyEncoding(request: ProtocolRequest): BodyEncoding;
  /** Handles bodies of any length; null: the server reads them whole. `pieceBytesMax` limits a piece. */
  openPieces: ((pieceBytesMax: number) => BodyPieces) | null;
  /** Returns the protocol that the body belongs to if several share the path; null: this one. */
  findOther(request: ProtocolRequest, body: Buffer): OtherProtocol | null;
  /** The kinds of tokens that may send here. */
  tokenKinds: readonly ('logs' | 'sdk' | 'webhook')[];
  /** Entries that name no dataset go to the token's dataset, if it is limited to one. */
  usesDatasetOfToken: boolean;
  /** Separates files from the body as it arrives; null: it contains none. The server keeps them if the token may upload files. */
  openSeparator: (() => FileSeparator) | null;
  filesFolder: string;
  /** Reads options from the request's path, query and headers. They must be transferable to another thread. `files` describes each stored file. */
  readOptions(request: ProtocolRequest, files: readonly JsonObject[]): Options;
  answer(taken: TakenBody): ProtocolAnswer;
};

/** Cuts a body of any length into pieces that can be read separately. */
export type BodyPieces = {
  readonly pendingBytes: number;
  /** Returns the pieces that these bytes complete. */
  add(chunk: Buffer): Buffer[];
  finish(): Buffer;
};

/** `file`: a file begins. `content`: its next bytes. `rest`: bytes of the body without its files. */
export type BodyPart = { kind: 'rest' | 'content'; bytes: Buffer } | { kind: 'file'; filename: string };

/** Separates the files in a body of any length from the rest, which `read` gets. */
export type FileSeparator = {
  /** Bytes that it holds. */
  readonly pendingBytes: number;
  add(chunk: Buffer): readonly BodyPart[];
  /** Throws `ProtocolFailure` if the body ends too early. */
  finish(): readonly BodyPart[];
};

export type OtherProtocol = { protocol: Protocol; route: EntryRoute<object> };

/** A body with stored entries. */
type TakenBody = {
  request: ProtocolRequest;
  shown: unknown;
  /** The dataset of entries that name none. */
  dataset: string;
  elapsedMs: number;
};

/** A route that takes no entries. Clients call it before or after they send. */
export type QuestionRoute = RoutePlace & {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Whether it needs a token that may send entries. */
  needsToken: boolean;
  /** `body` is null on routes without one. Throws `ProtocolFailure`. */
  answer(request: ProtocolRequest, body: Buffer | null, server: ServerFacts): ProtocolAnswer;
};

/** `host` is the server's address for clients, including the port. */
type ServerFacts = { version: string; host: string };

/** `bytesMax` limits an unpacked body. Entries that name no dataset go to `usualDataset`. */
type ReadingRules = Wording & { bytesMax: number; usualDataset: string };

type ReadEntries = {
  entries: readonly SentEntry[];
  /** null: one invalid entry refuses the whole body. */
  refusals: Refusals | null;
};

/** Receives each entry that cannot be stored, and summarises them at the end. */
export type Refusals = { refuse(index: number, failure: Failure): void; show(): unknown };

/** The traceId of the first entry, and the data for the answer. */
export type WrittenEntries = { traceId: string; shown: unknown };

/** A refused request: the service's status, code and sentence. */
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
  /** Whether `read` may unpack the body to more than `largeBytesMin`. Another thread then reads it, however short it is. */
  unpacksLarge(body: Buffer, options: Options): boolean;
  /** Throws `ProtocolFailure` if the body is unreadable. */
  read(body: Buffer, options: Options, rules: ReadingRules): ReadEntries;
  /** Writes a body without creating values. Returns null if it cannot; the server then calls `read`. */
  write(task: DirectTask, body: Buffer, rules: Wording & { options: Options }): WrittenEntries | null;
  /** null: failures use the service's own format. */
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
  openSeparator: null,
  filesFolder: '',
} as const satisfies Partial<EntryRoute<object>>;
type EntryRouteDefaults = keyof typeof entryRouteDefaults;
type GivenEntryRoute<Options extends object> = Omit<EntryRoute<Options>, EntryRouteDefaults> &
  Partial<Pick<EntryRoute<Options>, EntryRouteDefaults>>;

/** Fills in the usual settings of a route. */
export function defineEntryRoute<Options extends object>(
  route: GivenEntryRoute<Options>,
): EntryRoute<Options> {
  return { ...entryRouteDefaults, ...route };
}

export const largeBytesMin = 64 * 1024; // read in some milliseconds

/** For protocols whose bodies arrive unpacked. */
export function unpacksLittle(): boolean {
  return false;
}

/** For protocols that always read bodies into values. */
export function writeNothing(): null {
  return null;
}

export const jsonType = 'application/json';
export const textType = 'text/plain; charset=utf-8';

export function answerJson(status: number, value: unknown): ProtocolAnswer {
  return { status, type: jsonType, body: JSON.stringify(value) };
}

/** Returns whether a request declares Protocol Buffers. */
export function isProtobuf({ headers }: Pick<ProtocolRequest, 'headers'>): boolean {
  return /^\s*application\/(?:x-|vnd\.google\.)?protobuf\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

/** Reads the texts that the address gives for these names. */
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
