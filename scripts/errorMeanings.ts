/** Says what each error code means and what a caller can do, for the guide to errors. */
import type { ErrorCode } from '@tapedeck/contract/vocabulary';

export type ErrorArea = { title: string; meanings: readonly (readonly [ErrorCode, string])[] };

export const errorAreas: readonly ErrorArea[] = [
  {
    title: 'Requests',
    meanings: [
      [
        'bad_request',
        'The request is not valid HTTP, or not what the protocol allows. The message says where.',
      ],
      ['invalid_json', 'The body is not JSON, or not written in UTF-8.'],
      ['invalid_field', '`field` names the field or parameter that has a wrong value.'],
      [
        'not_found',
        'The route, project, file, entry or other thing does not exist, or your token may not see it.',
      ],
      ['method_not_allowed', 'The route exists, but not with this method.'],
      ['not_acceptable', 'The `Accept` header excludes what this route returns.'],
      ['request_timeout', 'Headers or body arrived too slowly. Send the request again.'],
      ['body_too_large', 'The body exceeds the limit of this route. Send it in parts.'],
      [
        'unsupported_content_type',
        'The route does not read bodies of this `Content-Type` or `Content-Encoding`.',
      ],
      ['headers_too_large', 'The headers together are too long.'],
      ['transfer_coding_unsupported', '`Transfer-Encoding` may only be `chunked`.'],
      ['idempotency_key_reused', 'The same `Idempotency-Key` came with different content. Use a new key.'],
      ['rate_limited', 'The token has used up its requests for this minute. Wait for `Retry-After`.'],
    ],
  },
  {
    title: 'Tokens and sessions',
    meanings: [
      ['token_missing', 'The request has no token. Send it in the `Authorization` header.'],
      ['token_unknown', 'There is no such token. It may be mistyped, or belong to another service.'],
      ['token_expired', 'The token or SDK session has expired. Create a new one.'],
      ['token_revoked', 'Someone revoked the token or deleted its project.'],
      ['wrong_token_kind', 'The token is for something else: a media token cannot write logs, for example.'],
      ['scope_missing', 'The token is limited to other folders, types, datasets or actions.'],
      ['session_missing', 'Sign in: this route is for people, or for admin tokens.'],
      ['role_missing', 'Your role in the project or installation does not allow this.'],
      [
        'cross_site',
        'A page of another site sent the request. Call the service from its own pages or from a server.',
      ],
    ],
  },
  {
    title: 'Files',
    meanings: [
      ['file_missing', 'The request contains no file.'],
      ['multipart_broken', 'The form ends early, or its parts are not separated as its header says.'],
      ['base64_invalid', 'The file is not valid base64.'],
      ['metadata_invalid', 'The metadata is not a JSON object, or is too large or too deep.'],
      ['path_invalid', 'The folder has a part that is not allowed, such as `..`.'],
      ['file_too_large', 'The file exceeds the limit of the service, token or upload URL.'],
      ['unsupported_media', 'The bytes are not of an accepted format, whatever the filename says.'],
      [
        'quota_exceeded',
        'The project has no space left, or too many unfinished uploads. Delete files or raise the quota.',
      ],
      [
        'precondition_failed',
        'The file is no longer the one that `If-Match` or `If-Unmodified-Since` names.',
      ],
      ['range_unsatisfiable', 'The file is shorter than the `Range` that was requested.'],
      [
        'image_undecodable',
        'The picture is damaged, or takes too long to decode, so there are no smaller versions. Its original is still served.',
      ],
      [
        'image_too_large',
        'The picture has too many pixels, or this form of it takes too much memory. Its original is still served.',
      ],
      ['link_expired', 'The signed link to a private file has expired. Ask for a new one.'],
      ['presigned_unknown', 'The upload URL is not one of this service.'],
      ['presigned_narrower', 'The upload URL is limited to another folder or type.'],
      ['presigned_used', 'The upload URL has been used. Ask for a new one.'],
      ['presigned_expired', 'The upload URL has expired. Ask for a new one.'],
      ['blobs_unavailable', 'The store of files does not answer, or lacks the bytes of this file.'],
      ['blob_exists', 'A fault of the service. Please report it.'],
    ],
  },
  {
    title: 'Resumable uploads',
    meanings: [
      ['upload_offset_wrong', 'The upload continues elsewhere: ask for its offset with `HEAD`.'],
      ['upload_locked', 'Another request is sending bytes of this upload. Try again in a moment.'],
      ['upload_finished', 'The upload is complete and takes no more bytes.'],
      ['upload_unfinished', 'The upload still lacks bytes. Send the rest first.'],
      ['checksum_mismatch', 'The bytes changed on the way. Send them again.'],
      ['protocol_version', 'The service speaks version 1.0.0 of the tus protocol.'],
    ],
  },
  {
    title: 'Logs',
    meanings: [
      ['query_invalid', 'The query cannot be read. `position` counts the characters before the mistake.'],
      ['cursor_invalid', 'The cursor is damaged, or belongs to another list or query.'],
      ['query_timeout', 'The query took longer than thirty seconds. Narrow it down, preferably by time.'],
      [
        'engine_unavailable',
        'The log engine is starting or away. Entries are still accepted; ask again in a moment.',
      ],
      ['engine_unsupported', 'There is no log engine for this kind of machine. Connect a ClickHouse server.'],
      ['journal_full', 'The log engine has been away for so long that no more entries can wait for it.'],
    ],
  },
  {
    title: 'Accounts and projects',
    meanings: [
      ['sign_in_failed', 'The email address, password, code or passkey is wrong.'],
      ['sign_in_slowed', 'Too many wrong attempts. Wait for `Retry-After`.'],
      ['setup_code_wrong', 'The first owner needs the code that the service prints when it starts.'],
      ['already_set_up', 'The installation already has an owner, or its database is not empty.'],
      ['ticket_expired', 'The sign-in took too long, or the account changed meanwhile. Start again.'],
      ['passkey_refused', 'The passkey could not be verified, or is registered already.'],
      ['second_factor_on', 'The account already has a second factor.'],
      ['last_way_in', 'Without this, the account could no longer sign in.'],
      ['provider_refused', 'The sign-in provider refused, or its response cannot be trusted.'],
      ['provider_unavailable', 'The sign-in provider does not answer.'],
      [
        'provider_user_unknown',
        'The provider knows this person, but the service does not, and invitations are required.',
      ],
      ['provider_email_missing', 'The provider sent no verified email address.'],
      [
        'provider_email_unverified',
        'An account has this email address, but nobody has verified it. Sign in with its password and link the provider.',
      ],
      ['invitation_used', 'The invitation has been used.'],
      ['invitation_ended', 'The invitation was withdrawn, or the inviter may no longer invite people.'],
      ['invitation_expired', 'The invitation has expired. Ask for another.'],
      ['already_member', 'The account is a member of the project already.'],
      ['name_taken', 'Something else has this name.'],
      ['last_owner', 'An installation keeps at least one owner.'],
      ['default_project', 'Requests that name no project use this one, so it cannot be deleted.'],
    ],
  },
  {
    title: 'Alerts, nodes and backups',
    meanings: [
      ['channel_in_use', 'Alert rules notify this channel. Remove it from them first.'],
      ['not_firing', 'The rule no longer fires, so there is nothing to acknowledge.'],
      ['node_running', 'The node reported recently. Stop it first.'],
      ['not_empty', 'A backup or restore would overwrite something. Choose an empty target.'],
    ],
  },
  {
    title: 'The service itself',
    meanings: [
      ['overloaded', 'Too much of this is under way. Try again later.'],
      ['unavailable', 'Something the service needs does not work at the moment. The message says what.'],
      ['not_ready', 'The service is starting, or one of its stores is away.'],
      ['stopping', 'The service is stopping. Try again shortly, or at another node.'],
      ['disk_full', 'The disk or bucket is full. Nothing is accepted until there is space again.'],
      ['internal', 'A fault of the service. Its log has the details under the id in `X-Request-Id`.'],
    ],
  },
];
