/** Clients for Python of services that gather logs: Elasticsearch, Datadog, Splunk. */
import { partsOf } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { writesDefaultLogs, writesLogs } from '../tokens.ts';

const group = 'Python';
const words = ['python', 'pip', 'django', 'flask', 'logging'];
const test = {
  name: 'test.py',
  language: 'python',
  write: () => `from logger import logger

logger.warning("Hello, tape")`,
} as const;

const elasticsearch: Guide = {
  id: 'elasticsearch-py',
  title: 'elasticsearch (Python)',
  group,
  about: "Elasticsearch's client for Python, and its bulk helper.",
  sends: 'logs',
  words: [...words, 'elastic', 'bulk', 'index', 'elk', 'opensearch'],
  door: 'bulk',
  token: writesLogs,
  install: 'pip install elasticsearch',
  snippets: [
    {
      name: 'client.py',
      language: 'python',
      isFile: true,
      write: ({ address, token, dataset }) => `from elasticsearch import Elasticsearch, helpers

client = Elasticsearch("${withPort(address)}/elasticsearch", api_key="${token}")


def write(documents):
    """Documents with @timestamp, message, log.level; what else they hold becomes metadata."""
    actions = ({"_op_type": "create", "_index": "${dataset}", "_source": each} for each in documents)
    return helpers.bulk(client, actions)
`,
    },
  ],
  test: {
    name: 'test.py',
    language: 'python',
    write: () => `from client import write

print(write([{"message": "Hello, tape", "log.level": "warn"}]))`,
  },
  notes: [
    {
      sees: 'Nothing but bulk works',
      means:
        'Only create and index are taken; entries are searched in the dashboard and by GET /api/v3/logs.',
    },
  ],
};

const datadog: Guide = {
  id: 'datadog-py',
  title: 'datadog-api-client (Python)',
  group,
  about: "Datadog's own client for Python, with another server.",
  sends: 'logs',
  words: [...words, 'datadog', 'dd-api-key', 'agentless'],
  door: 'datadog',
  token: writesDefaultLogs,
  install: 'pip install datadog-api-client',
  snippets: [
    {
      name: 'client.py',
      language: 'python',
      isFile: true,
      write: ({ address, token }) => {
        const { isSecure, host, port } = partsOf(address);
        return `from datadog_api_client import ApiClient, Configuration
from datadog_api_client.v2.api.logs_api import LogsApi
from datadog_api_client.v2.model.http_log import HTTPLog
from datadog_api_client.v2.model.http_log_item import HTTPLogItem

configuration = Configuration()
configuration.api_key["apiKeyAuth"] = "${token}"
configuration.server_index = 1
configuration.server_variables["protocol"] = "${isSecure ? 'https' : 'http'}"
configuration.server_variables["name"] = "${host}:${port}"


def write(message, **fields):
    with ApiClient(configuration) as api:
        item = HTTPLogItem(message=message, service="my-app", ddsource="python", **fields)
        LogsApi(api).submit_log(body=HTTPLog([item]))
`;
      },
    },
  ],
  test: {
    name: 'test.py',
    language: 'python',
    write: () => `from client import write

write("Hello, tape", status="warn")`,
  },
  notes: [],
};

const splunk: Guide = {
  id: 'splunk-hec-handler',
  title: 'splunk-hec-handler',
  group,
  about: "A handler of Python's logging for Splunk's event collector.",
  sends: 'logs',
  words: [...words, 'splunk', 'hec', 'collector'],
  door: 'splunk',
  token: writesLogs,
  install: 'pip install splunk-hec-handler',
  snippets: [
    {
      name: 'logger.py',
      language: 'python',
      isFile: true,
      write: ({ address, token, dataset }) => {
        const { isSecure, host, port } = partsOf(address);
        return `import logging

from splunk_hec_handler import SplunkHecHandler

handler = SplunkHecHandler(
    "${host}",
    "${token}",
    port=${port},
    proto="${isSecure ? 'https' : 'http'}",
    index="${dataset}",
    source="my-app",
)
logger = logging.getLogger("my-app")
logger.setLevel(logging.DEBUG)
logger.addHandler(handler)
`;
      },
    },
  ],
  test,
  notes: [{ sees: 'Code 4', means: 'The token is not known, or may not write to this dataset.' }],
};

const splunkHandler: Guide = {
  ...splunk,
  id: 'splunk-handler',
  title: 'splunk-handler',
  about:
    "A handler of Python's logging that sends to Splunk's event collector in batches, and again after an error.",
  words: ['splunk', 'hec', 'handler', ...words],
  install: 'pip install splunk-handler',
  snippets: [
    {
      name: 'logger.py',
      language: 'python',
      isFile: true,
      write: ({ address, token, dataset }) => {
        const { isSecure, host, port } = partsOf(address);
        return `import logging

from splunk_handler import SplunkHandler

handler = SplunkHandler(
    host="${host}",
    port=${port},
    protocol="${isSecure ? 'https' : 'http'}",
    token="${token}",
    index="${dataset}",
    source="my-app",
    flush_interval=1.0,
)
logger = logging.getLogger("my-app")
logger.setLevel(logging.DEBUG)
logger.addHandler(handler)
`;
      },
    },
  ],
  notes: [
    {
      sees: 'Every entry is info',
      means: 'The handler sends the text of its formatter alone, which has no level of its own.',
    },
  ],
};

/** Its client takes no address without one. */
function withPort(address: string): string {
  const { isSecure, host, port } = partsOf(address);
  return `${isSecure ? 'https' : 'http'}://${host}:${port}`;
}

export const pythonCollectorGuides: readonly Guide[] = [elasticsearch, datadog, splunk, splunkHandler];
