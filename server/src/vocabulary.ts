/** The words every layer shares: kinds, roles, limits and the closed list of error codes. Imports nothing. */

export const tokenKinds = ['media', 'logs', 'admin'] as const;
export type TokenKind = (typeof tokenKinds)[number];

export const mediaTypes = ['image', 'video', 'audio'] as const;
export type MediaType = (typeof mediaTypes)[number];

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Each role may do all that the roles behind it may. */
export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** What a token may do with the things of its kind. */
export const tokenActions = ['read', 'write', 'delete'] as const;
export type TokenAction = (typeof tokenActions)[number];

/** The project that exists from the first start and is meant where none is named. */
export const defaultProject = 'default';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** Every limit with its unit in its name and its source beside it. */
export const limits = {
  pageSizeDefault: 50, // SERVICE.md, Limits
  pageSizeMax: 100, // SERVICE.md, Limits
  fileSizeBytesMax: 32 * mebibyte, // SERVICE.md, Limits: the default of FILE_SIZE_MAX
  jsonBodyBytesMax: mebibyte, // management bodies hold settings, never content
  headersBytesMax: 16 * kibibyte, // Node.js's own default; longer ones get 431
  headersTimeMsMax: 10_000, // CONTRACT.md, 3.1
  bodyIdleMsMax: 30_000, // CONTRACT.md, 3.1
  stopGraceMsMax: 10_000, // CONTRACT.md, 1
  tokenCharactersMin: 16, // CONTRACT.md, 1: fixed tokens
  tokenCharactersMax: 256, // longer credentials are refused before they are hashed
  nameCharactersMax: 100, // fits one line of the dashboard
  passwordCharactersMin: 10, // long enough against guessing at the slowed rate
  passwordCharactersMax: 256, // bounds the cost of a hash
  metadataBytesMax: 16 * kibibyte, // CONTRACT.md, 3
  metadataKeysMax: 64, // CONTRACT.md, 3
  pathBytesMax: 512, // CONTRACT.md, 3
  pathSegmentsMax: 16, // CONTRACT.md, 3
  logBatchItemsMax: 10_000, // CONTRACT.md, 4.1
  logBatchBytesMax: 10 * mebibyte, // CONTRACT.md, 4.1
  logMessageBytesMax: 64 * kibibyte, // CONTRACT.md, 4.1
  logMetadataDepthMax: 20, // CONTRACT.md, 4.1
  logMetadataLeavesMax: 256, // CONTRACT.md, 4.1
  logMetadataKeyBytesMax: 256, // CONTRACT.md, 4.1
  logMetadataValueBytesMax: 16 * kibibyte, // CONTRACT.md, 4.1
} as const;

/** Every error the service answers: its stable code and its HTTP status. */
export const errorStatuses = {
  // The request itself
  bad_request: 400,
  invalid_json: 400,
  invalid_field: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_content_type: 415,
  headers_too_large: 431,
  // Who is asking
  token_missing: 401,
  token_unknown: 401,
  token_expired: 401,
  token_revoked: 401,
  session_missing: 401,
  sign_in_failed: 401,
  setup_code_wrong: 401,
  wrong_token_kind: 403,
  scope_missing: 403,
  role_missing: 403,
  cross_site: 403,
  // What stands in the way
  already_set_up: 409,
  name_taken: 409,
  last_owner: 409,
  default_project: 409,
  not_empty: 409,
  rate_limited: 429,
  sign_in_slowed: 429,
  // Files
  multipart_invalid: 400,
  metadata_invalid: 400,
  path_invalid: 400,
  base64_invalid: 400,
  cursor_invalid: 400,
  presigned_unknown: 401,
  presigned_narrower: 403,
  presigned_used: 409,
  presigned_expired: 410,
  unsupported_media: 415,
  range_unsatisfiable: 416,
  image_undecodable: 422,
  image_too_large: 422,
  quota_exceeded: 507,
  // The service's own trouble
  internal: 500,
  unavailable: 503,
  not_ready: 503,
  overloaded: 503,
  stopping: 503,
  // The machine
  disk_full: 507,
} as const;
export type ErrorCode = keyof typeof errorStatuses;

/** An expected failure. The sentence tells the caller what to change; anything else that is thrown is a bug. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which a repeat may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    sentence: string,
    options: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
