/** The tables that a backup carries, in the order in which rows can be inserted again. */
import type { TableShape } from '@tapedeck/metadata-database';
import type { Schema } from './schema.ts';

function describeTable<Name extends keyof Schema>(
  table: Name,
  key: readonly (keyof Schema[Name] & string)[],
  columns: readonly (keyof Schema[Name] & string)[],
): TableShape {
  return { table, key, columns: [...key, ...columns] };
}

/**
 * Those that others refer to come first, so that rows can be inserted in this order. Claims on keys and deletions of log entries
 * stay behind: they belong to journals, which no backup carries. So do the minutes of rate limits, and what an installation knows
 * of itself: what is restored is another one. Uploads that go on have bytes that no backup carries.
 */
export const tables: readonly TableShape[] = [
  { ...describeTable('access_revision', ['id'], ['revision']), isSeeded: true },
  describeTable(
    'projects',
    ['slug'],
    [
      'name',
      'cdn_domain',
      'cdn_enabled',
      'retention',
      'log_retention',
      'bytes_max',
      'files_max',
      'created_at',
      'deleted_at',
      'revision',
    ],
  ),
  describeTable(
    'tokens',
    ['id'],
    [
      'project',
      'kind',
      'name',
      'prefix',
      'hash',
      'scopes',
      'created_at',
      'created_by',
      'expires_at',
      'last_used_at',
      'revoked_at',
      'maker_id',
      'revision',
    ],
  ),
  describeTable('users', ['id'], ['email', 'name', 'password_hash', 'is_owner', 'created_at']),
  describeTable('memberships', ['user_id', 'project'], ['role']),
  describeTable(
    'sign_in_sessions',
    ['hash'],
    ['user_id', 'created_at', 'expires_at', 'address', 'user_agent'],
  ),
  describeTable('sign_in_failures', ['key'], ['failures', 'last_failed_at']),
  describeTable(
    'audit_entries',
    ['id'],
    ['at', 'position', 'actor', 'project', 'action', 'target', 'details'],
  ),
  describeTable('leases', ['name'], ['holder', 'expires_at']),
  describeTable(
    'files',
    ['id'],
    [
      'project',
      'position',
      'key',
      'path',
      'filename',
      'filename_folded',
      'type',
      'mime_type',
      'size_bytes',
      'sha256',
      'metadata',
      'retention_exempt',
      'width',
      'height',
      'duration_ms',
      'created_at',
      'listed_at',
    ],
  ),
  describeTable('file_folders', ['project', 'folder', 'position'], ['type']),
  describeTable('file_counts', ['project', 'folder', 'bucket', 'type'], ['files']),
  describeTable('file_usage', ['project'], ['last_position', 'files', 'bytes']),
  describeTable('file_days', ['project', 'day'], ['files', 'bytes']),
  describeTable('file_metadata', ['project', 'entry', 'position'], []),
  describeTable('file_removals', ['file_id'], ['removed_at', 'file']),
  describeTable('presigned_uses', ['token_id'], ['uses', 'expires_at']),
  describeTable(
    'sdk_sessions',
    ['project', 'identity'],
    ['id', 'token_id', 'created_at', 'refreshed_at', 'expires_at'],
  ),
  describeTable('sdk_session_tokens', ['session_id', 'token_id'], ['position']),
  describeTable('log_views', ['id'], ['project', 'name', 'query', 'created_at', 'created_by']),
];
