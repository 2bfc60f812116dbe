/** Terms of the API that every layer shares: kinds, roles, limits and error codes. */
export { patternSentences, patterns } from './textPatterns.ts';

/** `webhook` only sends messages and their files. */
export const tokenKinds = ['media', 'logs', 'webhook', 'admin'] as const;
export type TokenKind = (typeof tokenKinds)[number];
/** Kinds of credentials: API tokens, and the token of a reporting session. */
export const credentialKinds = [...tokenKinds, 'sdk'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

export const sdkTypes = ['server_a', 'server_b'] as const;
export type SdkType = (typeof sdkTypes)[number];

export const mediaTypes = ['image', 'video', 'audio'] as const;
export type MediaType = (typeof mediaTypes)[number];

/** Visibility of a file's bytes: for anyone with its URL, or only with a signed link. */
export const fileVisibilities = ['public', 'private'] as const;
export type FileVisibility = (typeof fileVisibilities)[number];

/** Orders for lists of files. Names sort case-folded; files without a duration come last. */
export const fileSorts = ['createdAt', 'name', 'size', 'duration'] as const;

export const timelineKinds = ['entry', 'file'] as const;

export type StorageKind = MediaType | 'logs';

export { type LogLevel, logLevels } from '@tapedeck/log-entries/levels';

/** Each role includes the roles after it. */
export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

export {
  type InvitationState,
  invitationStates,
  type SignInMethod,
  signInMethods,
} from './signInMethods.ts';

/** Roles of a node. A role keeps running while a store that it does not need is unavailable. */
export const serviceRoles = ['intake', 'query', 'media'] as const;
export type ServiceRole = (typeof serviceRoles)[number];

export {
  type ChannelEvent,
  type ChannelKind,
  channelEvents,
  channelKinds,
  type DeliveryState,
  deliveryStates,
  ruleKinds,
  type Severity,
  severities,
} from '@tapedeck/alerting/kinds';
export { findForeignTarget } from '@tapedeck/alerting/targets';

export const decidedIssueStates = ['resolved', 'ignored'] as const;
export type DecidedIssueState = (typeof decidedIssueStates)[number];
/** `returned`: an entry arrived after the issue was resolved. */
export const issueStates = ['open', 'returned', ...decidedIssueStates] as const;
export type IssueState = (typeof issueStates)[number];

/** Actions that a token may be limited to. */
export const tokenActions = ['read', 'write', 'delete'] as const;
export type TokenAction = (typeof tokenActions)[number];

/** The project that exists from the first start and is the default. */
export const defaultProject = 'default';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** Every limit, with its unit in the name and its source beside it. */
export const limits = {
  pageSizeDefault: 50, // SERVICE.md, Limits
  pageSizeMax: 100, // SERVICE.md, Limits
  headersBytesMax: 16 * kibibyte, // Node.js's own default; longer ones get 431
  headersTimeMsMax: 10_000, // CONTRACT.md, 3.1
  keepAliveMs: 72_000, // longer than the minute for which proxies keep an idle connection
  bodyIdleMsMax: 30_000, // CONTRACT.md, 3.1
  stopGraceMsMax: 10_000, // CONTRACT.md, 1
  tokenCharactersMin: 16, // CONTRACT.md, 1: fixed tokens
  tokenCharactersMax: 256, // longer credentials are refused before they are hashed
  jsonBodyBytesMax: 4 * kibibyte, // for management: a sign-in with every character escaped takes three quarters of it
  tokenBodyBytesMax: 128 * kibibyte, // all scopes with the longest folders, each character escaped
  projectBodyBytesMax: 256 * kibibyte, // all folder rules with the longest folders, each character escaped
  fileEditBodyBytesMax: 128 * kibibyte, // the longest metadata and folder, each character escaped
  fileMatchesMax: 1000, // per request: a folder of ten thousand files takes ten requests
  fileMatchesBodyBytesMax: 2 * mebibyte, // 1,000 files with the longest names and folders
  linkSecondsMax: 7 * 24 * 60 * 60, // CONTRACT.md, 15
  trashDaysMax: 3650, // ten years: files kept longer should not have been deleted
  logViewBodyBytesMax: 32 * kibibyte, // the longest query, each character escaped
  nameCharactersMax: 100, // fits one line of the dashboard
  setUpCodeCharactersMax: 100, // the code takes 14; the service ignores text pasted around it
  tokenScopesMax: 50, // one per folder or dataset; a token that needs more should not be limited
  scopeCharactersMax: 600, // `path:` and the longest folder
  idParameterCharactersMax: 64, // twice a traceId, which is the longest id
  pathParameterCharactersMax: 4096, // a presigned token with the longest folder takes a third
  folderRulesMax: 100, // for media retention: fits one page of the dashboard
  retentionDaysMax: 36_500, // a century
  domainCharactersMax: 253, // RFC 1035, 2.3.4, without the last dot
  emailCharactersMax: 254, // RFC 5321, 4.5.3.1.3
  passwordCharactersMin: 10, // long enough against guessing at the slowed rate
  passwordCharactersMax: 256, // bounds the cost of a hash
  metadataBytesMax: 16 * kibibyte, // CONTRACT.md, 3
  metadataKeysMax: 64, // CONTRACT.md, 3
  pathBytesMax: 512, // CONTRACT.md, 3
  logBatchBytesMax: 10 * mebibyte, // CONTRACT.md, 4.1
  briefBodyBytesMax: mebibyte, // decoded: a few thousand entries, as many as programs send at once
  chatFormBytesMax: 64 * mebibyte, // for routes that ignore files; senders attach what the platform accepts
  chatFilesMax: 10, // per message: the platform's limit
  chatUrlFormBytesMax: mebibyte, // decoding its escapes then takes 15 ms
  searchTermsMax: 64, // for files or log entries, and as many metadata conditions: more than a user types
  // Log queries
  logBucketsMax: 10_000, // more bars than a screen has columns of pixels
  logSeriesDefault: 8, // CONTRACT.md, 9.4
  logSeriesMax: 20, // CONTRACT.md, 9.4
  logSeriesPointsMax: 100_000, // for all series of a response: a megabyte, or twenty lines across the widest screen
  logFacetValuesMax: 50, // CONTRACT.md, 4.2
  logPatternsMax: 100, // CONTRACT.md, 9.3
  issueDaysMax: 90, // a quarter; issues are about current errors
  issueDaysDefault: 7, // a week includes a weekend, when game servers are full
  logFieldsMax: 500, // CONTRACT.md, 9.2
  logValuesDefault: 20, // CONTRACT.md, 9.2
  logValuesMax: 100, // CONTRACT.md, 9.2
  logComparedDefault: 100, // more differences than a user reads
  logComparedMax: 500, // a response of 50 KB with usual values
  logComparisonDaysMax: 92, // a quarter; a comparison reads every entry of both spans
  logChildrenMax: 100, // CONTRACT.md, 9.5
  logContextEntriesDefault: 10, // on each side: a screenful
  readingPauseMsMax: 120_000, // then a stream that the client stops reading is cut, because others wait for it; a tail can resume
  idempotencyKeyCharactersMax: 1024, // keys are UUIDs or hashes; longer ones are a mistake
  logViewCharactersMax: 4096, // the length of an address that browsers and proxies accept
  // Rules and channels
  ruleChannelsMax: 20, // CONTRACT.md, 10.1
  ruleWindowSecondsMin: 10, // CONTRACT.md, 10.1
  ruleWindowSecondsMax: 86_400, // CONTRACT.md, 10.1
  ruleWindowSecondsDefault: 300, // long enough for a meaningful count, short enough for a timely alert
  ruleValuesMax: 100, // CONTRACT.md, 10: one state per value
  ruleValueMax: 1_000_000_000, // entries in a window: more than arrive in a day
  ruleQueryCharactersMax: 4096, // same as a search
  ruleFieldCharactersMax: 256, // longer paths are not shown; applies to subjects, too
  ruleValueCharactersMax: 4096, // the longest pattern; other values are far shorter
  ruleBodyBytesMax: 32 * kibibyte, // the longest query, each character escaped
  channelTargetCharactersMax: 2048, // the length of an address that nearly all programs accept
  channelAddressesMax: 10, // to reach more people, use a mailing list
  channelBodyBytesMax: 16 * kibibyte, // the longest address, each character escaped
  // Invitations
  invitationSecondsMin: 3_600, // an hour: long enough to read it
  invitationSecondsMax: 2_592_000, // 30 days; after that, invite the person again
  invitationSecondsDefault: 604_800, // a week includes a day on which people read their mail
  invitationsMax: 200, // open invitations per project: more than a project has people
  invitationSecretCharactersMax: 100, // it takes 32; text pasted around it does not help
  // Signing in
  passkeyIdCharactersMax: 1400, // WebAuthn 2, 4: 1,023 bytes, in base64url
  passkeyPartCharactersMax: 8192, // an attestation with a certificate takes half of it
  passkeyBodyBytesMax: 64 * kibibyte, // all parts at their longest
  backCharactersMax: 2048, // the length of an address that browsers and proxies accept; the cookie holds it sealed
  codeCharactersMax: 64, // a recovery code takes 19, with its hyphens
  ticketCharactersMax: 1024, // the longest takes a third of it
  // SDK sessions
  sdkNameCharactersMax: 256, // an address, or the id of a place and a job
  subjectKindsMax: 20, // a game with more kinds should use fields
  subjectPathsMax: 30, // for ids or names: a third more than all suggested ones
  noteCharactersMax: 4_000, // two pages of text; longer stories are files
  noteSubjectCharactersMax: 256, // for the id: in some scripts, longer ones do not fit a PostgreSQL index
  notesMax: 200, // per subject: more than anyone reads before a decision
  noteBodyBytesMax: 32 * kibibyte, // the longest note and id, each character escaped
  subjectValuesMax: 1_000, // names, identifiers or resources of one subject: more than a page shows
  // Usage
  usageDaysDefault: 30, // a month at a glance
  usageDaysMax: 366, // a year; users cannot tell more bars apart
  presignedUsesMax: 1000, // CONTRACT.md, 3
  presignedMetadataBytesMax: 1024, // base64 in a URL, next to a folder of 512 bytes
  // Resumable uploads
  uploadIdleMsMax: 86_400_000, // CONTRACT.md, 11: without progress for 24 h
  uploadsBegunMax: 1000, // per project: more than a browser sends at once
  uploadsBegunBytesMax: 64 * 1024 * mebibyte, // per project, or four of the largest files if that is more
} as const;

/** Every error code of the service, with its HTTP status. */
export const errorStatuses = {
  // Requests
  bad_request: 400,
  invalid_json: 400,
  invalid_field: 400,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_content_type: 415,
  headers_too_large: 431,
  transfer_coding_unsupported: 501,
  // Credentials
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
  // Refusals for other reasons
  passkey_refused: 400,
  provider_refused: 401,
  provider_user_unknown: 403,
  provider_email_missing: 403,
  provider_email_unverified: 409,
  last_way_in: 409,
  already_set_up: 409,
  already_member: 409,
  second_factor_on: 409,
  invitation_used: 409,
  invitation_ended: 410,
  invitation_expired: 410,
  ticket_expired: 410,
  name_taken: 409,
  last_owner: 409,
  default_project: 409,
  not_empty: 409,
  channel_in_use: 409,
  not_firing: 409,
  node_running: 409,
  rate_limited: 429,
  sign_in_slowed: 429,
  // Files
  multipart_broken: 400,
  file_missing: 400,
  metadata_invalid: 400,
  path_invalid: 400,
  base64_invalid: 400,
  cursor_invalid: 400,
  presigned_unknown: 401,
  presigned_narrower: 403,
  presigned_used: 409,
  presigned_expired: 410,
  link_expired: 410,
  file_too_large: 413,
  unsupported_media: 415,
  precondition_failed: 412,
  range_unsatisfiable: 416,
  image_undecodable: 422,
  image_too_large: 422,
  quota_exceeded: 507,
  // Resumable uploads
  upload_finished: 409,
  upload_offset_wrong: 409,
  upload_unfinished: 409,
  protocol_version: 412,
  upload_locked: 423,
  checksum_mismatch: 460, // tus 1.0.0
  // Failures of the service
  internal: 500,
  unavailable: 503,
  not_ready: 503,
  overloaded: 503,
  provider_unavailable: 503,
  stopping: 503,
  // The machine
  disk_full: 507,
  blob_exists: 500,
  blobs_unavailable: 503,
  // Logs
  query_invalid: 400,
  idempotency_key_reused: 422,
  engine_unavailable: 503,
  engine_unsupported: 503,
  query_timeout: 503,
  journal_full: 503,
} as const;
export type ErrorCode = keyof typeof errorStatuses;
