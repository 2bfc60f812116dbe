/** Vector, alone and for what it is often used. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';
import { group, test, words } from './shipping.ts';

const vector: Guide = {
  id: 'vector',
  title: 'Vector',
  group,
  about: 'Reads files, journald, Docker and more, and sends what it finds in batches.',
  sends: 'logs',
  words: [...words, 'rust', 'journald', 'vrl', 'datadog'],
  door: 'loki',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'vector.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => `sources:
  files:
    type: file
    include:
      - /var/log/my-app/*.log

sinks:
  tapedeck:
    type: loki
    inputs: [files]
    endpoint: ${address}
    auth:
      strategy: bearer
      token: ${token}
    labels:
      app: my-app
      dataset: ${dataset}
    encoding:
      codec: text
`,
    },
  ],
  test,
  notes: [
    {
      sees: 'Sources of JSON',
      means: 'Use the sink “http” as in the guide of nginx: fields of the events become metadata.',
    },
  ],
};

const nginx: Guide = {
  id: 'nginx',
  title: 'nginx, by Vector',
  group,
  about: 'Access logs with status, time and address as metadata, and a level by status.',
  sends: 'logs',
  words: [...words, 'vector', 'access log', 'apache', 'caddy', 'traefik', 'web server'],
  door: 'lines',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'nginx.conf, in the block http',
      language: 'text',
      write:
        () => `log_format tapedeck escape=json '{"message":"$request","status":$status,"bytes":$bytes_sent,'
  '"seconds":$request_time,"host":"$host","client":"$remote_addr","agent":"$http_user_agent"}';
access_log /var/log/nginx/tapedeck.log tapedeck;`,
    },
    {
      name: 'vector.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => `sources:
  nginx:
    type: file
    include:
      - /var/log/nginx/tapedeck.log

transforms:
  parsed:
    type: remap
    inputs: [nginx]
    source: |
      . = object!(parse_json!(string!(.message)))
      .service = "nginx"
      .level = if to_int!(.status) >= 500 { "error" } else if to_int!(.status) >= 400 { "warn" } else { "info" }

sinks:
  tapedeck:
    type: http
    inputs: [parsed]
    uri: ${address}/api/v3/logs/lines?dataset=${dataset}
    method: post
    auth:
      strategy: bearer
      token: ${token}
    encoding:
      codec: json
    framing:
      method: newline_delimited
`,
    },
  ],
  test: { name: 'A request', language: 'sh', write: () => 'curl -s http://localhost/hello-tape' },
  notes: [],
};

const journald: Guide = {
  id: 'journald',
  title: 'journald',
  group,
  about: 'What systemd services print, by Vector as it happens, or by curl once.',
  sends: 'logs',
  words: ['systemd', 'linux', 'syslog', 'journalctl', 'vector', 'rsyslog'],
  door: 'loki',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'vector.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => `sources:
  journal:
    type: journald
    current_boot_only: true

transforms:
  levels:
    type: remap
    inputs: [journal]
    source: |
      .level = to_syslog_level(to_int(.PRIORITY) ?? 6) ?? "info"
      .app = .SYSLOG_IDENTIFIER ?? ._SYSTEMD_UNIT ?? "journal"

sinks:
  tapedeck:
    type: loki
    inputs: [levels]
    endpoint: ${address}
    auth:
      strategy: bearer
      token: ${token}
    labels:
      app: '{{ app }}'
      level: '{{ level }}'
      dataset: ${dataset}
    encoding:
      codec: text
`,
    },
    {
      name: 'The last hour, once',
      language: 'sh',
      write: ({
        address,
        token,
        dataset,
      }) => `journalctl --since -1h -o json | curl -fsS '${address}/api/v3/logs/lines?dataset=${dataset}&messageField=MESSAGE&timeField=__REALTIME_TIMESTAMP&resourceField=SYSLOG_IDENTIFIER,_SYSTEMD_UNIT' \\
  -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/x-ndjson' --data-binary @-`,
    },
  ],
  test: { name: 'A line into the journal', language: 'sh', write: () => `logger -t my-app 'Hello, tape'` },
  notes: [{ sees: '413', means: 'A request takes 10,000 entries or 10 MiB: take a shorter time.' }],
};

export const vectorGuides: readonly Guide[] = [vector, nginx, journald];
