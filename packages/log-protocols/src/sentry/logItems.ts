/** Sentry's structured logs, which SDKs send in envelopes as well, as entries. */

import { type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { Fields } from '../reading/fields.ts';
import { requireCount, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { describeValue } from '../reading/texts.ts';
import { readAnyTime } from '../reading/times.ts';
import { readResource } from './event.ts';

const serviceNames = ['service.name'];
const programNames = ['sentry.release', 'server.address'];
const own: ReadonlySet<string> = new Set(['timestamp', 'level', 'body', 'attributes']);

export function readLogItem({ items }: JsonObject, wording: Wording): SentEntry[] {
  const list = Array.isArray(items) ? items.filter(isObject) : [];
  requireCount(list.length);
  const fields = new Fields([...serviceNames, ...programNames]);
  return list.map(item => readLog(item, fields, wording));
}

function readLog(item: JsonObject, fields: Fields, { levels }: Wording): SentEntry {
  fields.begin();
  const { attributes } = item;
  // Each attribute says what type its value has.
  if (isObject(attributes))
    for (const name in attributes) {
      const attribute = attributes[name];
      fields.set(name, isObject(attribute) && 'value' in attribute ? attribute.value : attribute);
    }
  for (const name in item) if (!own.has(name)) fields.add(name, 'log.', item[name]);
  const [release, server] = programNames.map(name => fields.read(name));
  return {
    dataset: null,
    level: readLevel(item.level, levels),
    message: describeValue(item.body),
    resource: fields.takeText(serviceNames) ?? readResource({ release, server_name: server }),
    timestamp: readAnyTime(item.timestamp) ?? undefined,
    metadata: fields.toMetadata(),
  };
}

function readLevel(value: unknown, levels: Wording['levels']): LogLevel {
  return readLevelSynonym(levels, value) ?? 'info';
}
