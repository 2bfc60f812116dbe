/** Programs that gather logs of others and send them on. */
import { partsOf } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';
import { group, test, words } from './shipping.ts';

const fluentBit: Guide = {
  id: 'fluent-bit',
  title: 'Fluent Bit',
  group,
  about: 'The small shipper of containers and machines, by its output for Loki.',
  sends: 'logs',
  words: [...words, 'fluentbit', 'loki', 'forward'],
  door: 'loki',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'fluent-bit.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => {
        const { isSecure, host, port } = partsOf(address);
        return `pipeline:
  inputs:
    - name: tail
      path: /var/log/my-app/*.log
  outputs:
    - name: loki
      match: '*'
      host: ${host}
      port: ${port}
      tls: ${isSecure ? 'on' : 'off'}
      bearer_token: ${token}
      labels: app=my-app, dataset=${dataset}
      drop_single_key: raw
`;
      },
    },
  ],
  test,
  notes: [
    {
      sees: 'Lines look like {"log":"…"}',
      means: 'Versions before 2.2 do not know “raw”: use drop_single_key on.',
    },
  ],
};

const fluentd: Guide = {
  id: 'fluentd',
  title: 'Fluentd',
  group,
  about: 'By its own output for HTTP: no plugin to install.',
  sends: 'logs',
  words: [...words, 'fluent', 'td-agent', 'forward'],
  door: 'lines',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'fluent.conf',
      language: 'text',
      isFile: true,
      write: ({ address, token, dataset }) => `<source>
  @type tail
  path /var/log/my-app/*.log
  pos_file /var/lib/fluent/my-app.pos
  tag my-app
  <parse>
    @type none
  </parse>
</source>

<match **>
  @type http
  endpoint ${address}/api/v3/logs/lines?dataset=${dataset}
  headers {"Authorization": "Bearer ${token}"}
  json_array true
  retryable_response_codes 408, 429, 500, 502, 503, 504, 507
  <format>
    @type json
  </format>
  <buffer>
    flush_interval 1s
  </buffer>
</match>
`,
    },
  ],
  test,
  notes: [
    {
      sees: 'Docker’s logging driver “fluentd”',
      means: 'Put a <source> with @type forward in the place of tail.',
    },
  ],
};

const filebeat: Guide = {
  id: 'filebeat',
  title: 'Filebeat',
  group,
  about: "Elastic's shipper, by its output for Elasticsearch; other Beats take the same settings.",
  sends: 'logs',
  words: [...words, 'elastic', 'beats', 'elasticsearch', 'elk', 'metricbeat', 'winlogbeat'],
  door: 'bulk',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'filebeat.yml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => {
        const { isSecure, host, port } = partsOf(address);
        return `filebeat.inputs:
  - type: filestream
    id: my-app
    paths:
      - /var/log/my-app/*.log

setup.ilm.enabled: false
setup.template.enabled: false
setup.template.name: tapedeck
setup.template.pattern: tapedeck-*

output.elasticsearch:
  hosts: ['${isSecure ? 'https' : 'http'}://${host}:${port}']
  path: /elasticsearch
  api_key: 'tapedeck:${token}'
  index: ${dataset}
  allow_older_versions: true
`;
      },
    },
  ],
  test,
  notes: [
    {
      sees: 'Connection refused at port 9200',
      means: 'Filebeat assumes that port: the address must have one, as above.',
    },
  ],
};

export const shipperGuides: readonly Guide[] = [fluentBit, fluentd, filebeat];
