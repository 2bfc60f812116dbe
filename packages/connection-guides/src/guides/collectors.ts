/** More programs that gather logs: those of Grafana, Elastic, Datadog, and Docker's own drivers. */
import { partsOf, withCredentials } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { writesDefaultLogs, writesLogs } from '../tokens.ts';

const group = 'Shippers and servers';
const words = ['shipper', 'agent', 'file', 'tail', 'docker', 'kubernetes'];
const test = {
  name: 'A line into a file that is read',
  language: 'sh',
  write: () => `echo 'Hello, tape' | sudo tee -a /var/log/my-app/test.log`,
} as const;

const promtail: Guide = {
  id: 'promtail',
  title: 'Promtail',
  group,
  about: "Loki's own shipper for files and the journal.",
  sends: 'logs',
  words: [...words, 'loki', 'grafana', 'journal'],
  door: 'loki',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'promtail.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => `server:
  http_listen_port: 9080

positions:
  filename: /var/lib/promtail/positions.yaml

clients:
  - url: ${address}/loki/api/v1/push
    bearer_token: ${token}
    external_labels:
      dataset: ${dataset}

scrape_configs:
  - job_name: files
    static_configs:
      - targets: [localhost]
        labels:
          app: my-app
          __path__: /var/log/my-app/*.log
`,
    },
  ],
  test,
  notes: [
    {
      sees: 'Old lines are sent again',
      means: 'The file of positions is not kept: give its folder a place that survives.',
    },
  ],
};

const alloy: Guide = {
  id: 'grafana-alloy',
  title: 'Grafana Alloy',
  group,
  about: "Grafana's collector, by its component for Loki.",
  sends: 'logs',
  words: [...words, 'loki', 'grafana', 'agent'],
  door: 'loki',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'config.alloy',
      language: 'text',
      isFile: true,
      write: ({ address, token, dataset }) => `local.file_match "logs" {
  path_targets = [{"__path__" = "/var/log/my-app/*.log", "app" = "my-app"}]
}

loki.source.file "logs" {
  targets    = local.file_match.logs.targets
  forward_to = [loki.write.tapedeck.receiver]
}

loki.write "tapedeck" {
  endpoint {
    url          = "${address}/loki/api/v1/push"
    bearer_token = "${token}"
  }
  external_labels = {"dataset" = "${dataset}"}
}
`,
    },
  ],
  test,
  notes: [],
};

const logstash: Guide = {
  id: 'logstash',
  title: 'Logstash',
  group,
  about: 'By its output for HTTP; fields of the events become metadata.',
  sends: 'logs',
  words: [...words, 'elastic', 'elk', 'beats', 'grok'],
  door: 'lines',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'logstash.conf',
      language: 'text',
      isFile: true,
      write: ({ address, token, dataset }) => `input {
  file {
    path => "/var/log/my-app/*.log"
  }
}

output {
  http {
    url => "${address}/api/v3/logs/lines?dataset=${dataset}"
    http_method => "post"
    format => "json_batch"
    headers => { "Authorization" => "Bearer ${token}" }
  }
}
`,
    },
  ],
  test,
  notes: [],
};

const dockerSplunk: Guide = {
  id: 'docker-splunk',
  title: 'Docker, by its driver splunk',
  group,
  about: 'What containers print, by a driver that is part of Docker: nothing to install.',
  sends: 'logs',
  words: ['docker', 'compose', 'container', 'podman', 'hec', 'splunk', 'logging driver'],
  door: 'splunk',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'compose.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => `services:
  my-app:
    image: my-app
    logging:
      driver: splunk
      options:
        splunk-url: ${address}
        splunk-token: ${token}
        splunk-index: ${dataset}
        splunk-source: my-app
        splunk-format: inline
        splunk-verify-connection: 'false'
        tag: '{{.Name}}'
`,
    },
  ],
  test: {
    name: 'A container that says something',
    language: 'sh',
    write: ({ address, token, dataset }) =>
      `docker run --rm --log-driver=splunk --log-opt splunk-url='${address}' --log-opt splunk-token='${token}' --log-opt splunk-index='${dataset}' --log-opt splunk-verify-connection=false alpine echo 'Hello, tape'`,
  },
  notes: [
    { sees: 'Only new containers send', means: 'A driver is chosen when a container is made: make it anew.' },
    {
      sees: 'localhost does not work',
      means: 'The Docker daemon sends, not the container: give an address that the machine reaches.',
    },
  ],
};

const dockerLoki: Guide = {
  id: 'docker-loki',
  title: 'Docker, by its plugin loki',
  group,
  about: 'What containers print, with their names as labels.',
  sends: 'logs',
  words: ['docker', 'compose', 'container', 'loki', 'grafana', 'logging driver'],
  door: 'loki',
  token: writesLogs,
  install: 'docker plugin install grafana/loki-docker-driver --alias loki --grant-all-permissions',
  snippets: [
    {
      name: 'compose.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => `services:
  my-app:
    image: my-app
    logging:
      driver: loki
      options:
        loki-url: ${withCredentials(address, token)}/loki/api/v1/push
        loki-external-labels: app=my-app,dataset=${dataset}
        loki-retries: '5'
`,
    },
  ],
  test: {
    name: 'A container that says something',
    language: 'sh',
    write: ({ address, token, dataset }) =>
      `docker run --rm --log-driver=loki --log-opt loki-url='${withCredentials(address, token)}/loki/api/v1/push' --log-opt loki-external-labels='dataset=${dataset}' alpine echo 'Hello, tape'`,
  },
  notes: [
    {
      sees: 'A container does not stop while the service is away',
      means: 'The plugin waits: loki-retries bounds that, as above.',
    },
  ],
};

const datadogAgent: Guide = {
  id: 'datadog-agent',
  title: 'Datadog Agent',
  group,
  about: 'Its logs alone, sent here instead; everything goes into the dataset default.',
  sends: 'logs',
  words: [...words, 'datadog', 'dd-agent', 'windows'],
  door: 'datadog',
  token: writesDefaultLogs,
  install: null,
  snippets: [
    {
      name: 'datadog.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token }) => {
        const { isSecure, host, port } = partsOf(address);
        return `api_key: ${token}
logs_enabled: true
logs_config:
  logs_dd_url: ${isSecure ? 'https' : 'http'}://${host}:${port}
  force_use_http: true
  logs_no_ssl: ${!isSecure}
`;
      },
    },
    {
      name: 'conf.d/my-app.d/conf.yaml',
      language: 'yaml',
      write: () => `logs:
  - type: file
    path: /var/log/my-app/*.log
    service: my-app
    source: my-app
`,
    },
  ],
  test,
  notes: [
    {
      sees: 'API key is invalid',
      means: 'The agent asks Datadog about its key for metrics; logs leave all the same.',
    },
  ],
};

export const collectorGuides: readonly Guide[] = [
  promtail,
  alloy,
  logstash,
  dockerSplunk,
  dockerLoki,
  datadogAgent,
];
