/** Turns Sentry's structured logs, which SDKs also send in envelopes, into entries. */

import { type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue } from '../reading/bodySplitting.ts';
import { aheadMsMax, fitEntry } from '../reading/entryLimiting.ts';
import { Fields } from '../reading/fields.ts';
import { requireCount, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readAnyTime } from '../reading/times.ts';
import { readResource } from './event.ts';

const serviceNames = ['service.name'];
const releaseName = 'sentry.release';
const serverNames = ['server.address', 'sentry.server.address']; // the second is that of the SDK for Go
const own: ReadonlySet<string> = new Set(['timestamp', 'level', 'body', 'attributes']);

export function readLogItem({ items }: JsonObject, wording: Wording): SentEntry[] {
  const list = Array.isArray(items) ? items.filter(isObject) : [];
  requireCount(list.length);
  const fields = new Fields([...serviceNames, releaseName, ...serverNames]);
  return list.map(item => readLog(item, fields, wording));
}

function readLog(item: JsonObject, fields: Fields, { levels }: Wording): SentEntry {
  fields.begin();
  const { attributes } = item;
  // Each attribute declares the type of its value.
  if (isObject(attributes))
    for (const name in attributes) {
      const attribute = attributes[name];
      fields.set(name, isObject(attribute) && 'value' in attribute ? attribute.value : attribute);
    }
  for (const name in item) if (!own.has(name)) fields.add(name, 'log.', item[name]);
  const [release, ...servers] = [releaseName, ...serverNames].map(name => fields.read(name));
  const server = servers.find(name => name !== undefined);
  const time = readAnyTime(item.timestamp) ?? undefined;
  const isUsable = time === undefined || time <= Date.now() + aheadMsMax;
  if (!isUsable) fields.add('timestamp', 'log.', item.timestamp);
  // SDKs send many logs at once and do not resend them, so one that does not fit must not block the others.
  return {
    dataset: null,
    level: readLevel(item.level, levels),
    timestamp: isUsable ? time : undefined,
    ...fitEntry({
      message: describeValue(item.body).toWellFormed(),
      resource:
        fields.takeText(serviceNames)?.toWellFormed() ?? readResource({ release, server_name: server }),
      metadata: fields.toMetadata(),
    }),
  };
}

function readLevel(value: unknown, levels: Wording['levels']): LogLevel {
  return readLevelSynonym(levels, value) ?? 'info';
}
