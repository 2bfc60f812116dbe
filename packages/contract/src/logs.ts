/** Logs: ingest in batches, search, explore, follow and export. */
import { entryLimits } from '@tapedeck/log-entries/limits';
import Type from 'typebox';
import { Attachment, chatForms, MessageLevel } from './chat.ts';
import { defineRoute, StatusOk } from './route.ts';
import { describedWords, Instant, nullable, PageLimit, recordOf } from './values.ts';
import { type ErrorCode, limits, logLevels } from './vocabulary.ts';

const area = 'Logs';
const Ok = Type.Literal('ok');
const Text = Type.String();
const Level = Type.Enum(logLevels);
const Count = Type.Integer();
export const LevelCounts = Type.Object({ debug: Count, info: Count, warn: Count, error: Count });

export const LogEntry = Type.Object({
  traceId: Type.String({ description: '32 lowercase hexadecimal digits that sort by time.' }),
  parentId: Text,
  timestamp: Type.String({ description: 'RFC 3339 time in UTC, with microseconds.' }),
  dataset: Text,
  level: Level,
  resource: Text,
  body: Text,
  pattern: Type.String({
    description:
      '16 hexadecimal digits, the same for bodies that differ only in numbers, ids, addresses and times.',
  }),
  metadata: recordOf(Type.String(), { description: 'Dotted paths and their values as text.' }),
});

export const LogItem = Type.Object({
  level: Level,
  message: Type.String({ description: `Message text, at most ${entryLimits.messageBytesMax} bytes.` }),
  resource: Type.Optional(Text),
  metadata: Type.Optional(recordOf(Type.Unknown())),
  timestamp: Type.Optional(
    Type.Union([Instant, Type.Integer()], { description: 'RFC 3339 or Unix milliseconds; default: now.' }),
  ),
  parentId: Type.Optional(Text),
});

const Dataset = Type.Optional(
  Type.String({ description: 'Dataset. New entries without it use X-Service-Dataset, else `default`.' }),
);
const Target = Type.Object({ dataset: Dataset });

export const intakeErrors: readonly ErrorCode[] = [
  'bad_request',
  'invalid_field',
  'invalid_json',
  'body_too_large',
  'unsupported_content_type',
  'idempotency_key_reused',
  'journal_full',
  'disk_full',
];

export const ingestLogs = defineRoute({
  id: 'ingestLogs',
  method: 'POST',
  path: '/api/v3/logs',
  area,
  summary: 'Store a batch of log entries, all or none. After a success, they are durable and searchable.',
  access: { by: 'token', kinds: ['logs', 'sdk'], action: 'write', apiKey: true },
  query: Target,
  stream: { 'application/json': Type.Array(LogItem, { minItems: 1, maxItems: entryLimits.batchItemsMax }) },
  answer: StatusOk,
  errors: intakeErrors,
});

export const ingestChat = defineRoute({
  id: 'ingestChat',
  method: 'POST',
  path: '/api/v3/logs/chat',
  area,
  summary: 'Store the payload of a chat webhook as log entries, and its files too with a webhook token.',
  access: { by: 'token', kinds: ['logs', 'webhook', 'sdk'], action: 'write', apiKey: true },
  query: Type.Object({ dataset: Dataset, level: MessageLevel }),
  stream: chatForms,
  answer: Type.Object({ status: Ok, attachments: Type.Optional(Type.Array(Attachment)) }),
  errors: intakeErrors,
});

const termsMax = `at most ${limits.searchTermsMax}`;
export const metadataFilters = `Parameters like metadata.<path>=value filter by metadata, ${termsMax} times.`;
export const filters = {
  query: Type.Optional(
    Type.String({
      description:
        'Query in the language that the section Logs describes. Joined with other parameters by AND; ignored if blank.',
      examples: ['level:error player.id:43 -oxmysql', 'tick ms:>100 (map:harbour OR map:"old town")'],
    }),
  ),
  dataset: Type.Optional(Type.String({ description: 'Dataset, or * for all datasets of the project.' })),
  level: Type.Optional(Type.String({ description: 'Levels, separated by commas.' })),
  resource: Type.Optional(Text),
  body: Type.Optional(
    Type.String({ description: `Terms that all occur in the body, ${termsMax}; a "quoted phrase" is one.` }),
  ),
  q: Type.Optional(
    Type.String({ description: `Terms that must all occur in the body or in metadata values, ${termsMax}.` }),
  ),
  parentId: Type.Optional(Text),
  from: Type.Optional(Type.String({ description: 'Earliest time, RFC 3339, inclusive.' })),
  to: Type.Optional(Type.String({ description: 'Latest time, RFC 3339, inclusive.' })),
};
const Order = Type.Optional(
  Type.String({ description: 'Order by time.', default: 'desc', [describedWords]: ['asc', 'desc'] }),
);
export const read = { by: 'token', kinds: ['logs'], action: 'read', apiKey: false } as const;
const queryErrors: readonly ErrorCode[] = [
  'invalid_field',
  'query_timeout',
  'engine_unavailable',
  'overloaded',
];
/** Errors of queries with filters. */
export const filterErrors: readonly ErrorCode[] = [...queryErrors, 'query_invalid'];

export const queryLogs = defineRoute({
  id: 'queryLogs',
  method: 'GET',
  path: '/api/v3/logs',
  area,
  summary: `Search log entries. ${metadataFilters}`,
  access: read,
  query: Type.Object({
    ...filters,
    limit: PageLimit,
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    cursor: Type.Optional(Type.String({ description: 'A nextCursor; stable while entries arrive.' })),
    order: Order,
    includeTotal: Type.Optional(
      Type.String({
        description: 'true to count all matches; otherwise total is 0.',
        default: 'false',
        [describedWords]: ['true', 'false'],
      }),
    ),
  }),
  answer: Type.Object({
    data: Type.Array(LogEntry),
    pagination: Type.Object({
      hasMore: Type.Boolean(),
      limit: Type.Integer(),
      offset: Type.Integer(),
      total: Type.Integer(),
      nextCursor: nullable(Type.String()),
    }),
    status: Ok,
  }),
  errors: [...filterErrors, 'cursor_invalid'],
});

export const getHistogram = defineRoute({
  id: 'getHistogram',
  method: 'GET',
  path: '/api/v3/logs/histogram',
  area,
  summary: `Count matches over time by level, empty buckets included. ${metadataFilters}`,
  access: read,
  query: Type.Object({
    ...filters,
    interval: Type.Optional(Type.String({ examples: ['30s', '5m', '1h', '1d'] })),
    buckets: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        timestamp: Text,
        counts: LevelCounts,
      }),
    ),
    status: Ok,
  }),
  errors: filterErrors,
});

export const getFacets = defineRoute({
  id: 'getFacets',
  method: 'GET',
  path: '/api/v3/logs/facets',
  area,
  summary: `List the most frequent values of a field among the matches, with exact counts. ${metadataFilters}`,
  access: read,
  query: Type.Object({
    ...filters,
    field: Type.String({ description: 'Field: level, resource or metadata.<path>.' }),
  }),
  answer: Type.Object({ data: Type.Array(Type.Object({ value: Text, count: Type.Integer() })), status: Ok }),
  errors: filterErrors,
});

export const tailLogs = defineRoute({
  id: 'tailLogs',
  method: 'GET',
  path: '/api/v3/logs/tail',
  area,
  summary: `Stream matches as they arrive with Server-Sent Events. Send Last-Event-ID to resume. ${metadataFilters}`,
  access: read,
  query: Type.Object(filters),
  answer: Type.String(),
  answerType: 'text/event-stream',
  errors: filterErrors,
});

export const exportLogs = defineRoute({
  id: 'exportLogs',
  method: 'GET',
  path: '/api/v3/logs/export',
  area,
  summary: `Export all matches as NDJSON or CSV. ${metadataFilters}`,
  access: read,
  query: Type.Object({
    ...filters,
    format: Type.Optional(
      Type.String({
        description:
          'Format of the export. In CSV, an apostrophe precedes cells that a spreadsheet would run as formulas.',
        default: 'ndjson',
        [describedWords]: ['ndjson', 'csv'],
      }),
    ),
    order: Order,
  }),
  answer: Type.String(),
  answerType: 'application/x-ndjson',
  errors: filterErrors,
});

export const listDatasets = defineRoute({
  id: 'listDatasets',
  method: 'GET',
  path: '/api/v3/logs/datasets',
  area,
  summary: 'List the datasets of the project with their size and retention.',
  access: read,
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        name: Text,
        entries: Type.Integer(),
        bytes: Type.Integer(),
        retentionDays: nullable(Type.Integer()),
        lastEntryAt: nullable(Text),
      }),
    ),
    status: Ok,
  }),
  errors: ['engine_unavailable', 'query_timeout'],
});

const TraceParams = Type.Object({ traceId: Type.String({ maxLength: limits.idParameterCharactersMax }) });

export const getLog = defineRoute({
  id: 'getLog',
  method: 'GET',
  path: '/api/v3/logs/{traceId}',
  area,
  summary: 'Get one entry. Name a dataset to search only that one.',
  access: read,
  params: TraceParams,
  query: Target,
  answer: Type.Object({ data: LogEntry, status: Ok }),
  errors: [...queryErrors, 'not_found'],
});

export const getLogContext = defineRoute({
  id: 'getLogContext',
  method: 'GET',
  path: '/api/v3/logs/{traceId}/context',
  area,
  summary: `Get an entry and its neighbours in the same dataset, oldest first. ${metadataFilters}`,
  access: read,
  params: TraceParams,
  query: Type.Object({
    ...filters,
    before: Type.Optional(Type.Integer({ minimum: 0, default: limits.logContextEntriesDefault })),
    after: Type.Optional(Type.Integer({ minimum: 0, default: limits.logContextEntriesDefault })),
  }),
  answer: Type.Object({
    data: Type.Object({ before: Type.Array(LogEntry), entry: LogEntry, after: Type.Array(LogEntry) }),
    status: Ok,
  }),
  errors: [...filterErrors, 'not_found'],
});

export const listLogChildren = defineRoute({
  id: 'listLogChildren',
  method: 'GET',
  path: '/api/v3/logs/{traceId}/children',
  area,
  summary: `List the entries whose parent is this one, oldest first, at most ${limits.logChildrenMax}. Name a dataset to search only that one.`,
  access: read,
  // Clients may use parents that are not traceIds.
  params: Type.Object({ traceId: Type.String({ maxLength: limits.pathParameterCharactersMax }) }),
  query: Target,
  answer: Type.Object({ data: Type.Array(LogEntry), status: Ok }),
  errors: [...queryErrors, 'not_found'],
});
