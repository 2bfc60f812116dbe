/** Elasticsearch's bulk requests: lines in pairs, what is to be done and the document. Each document is answered by itself. */
import { isObject, type JsonObject } from '@tapedeck/json-values';
import { readLevelSynonym } from '@tapedeck/log-entries';
import { readLevelNumber } from './levelNumbers.ts';
import { Fields, ProtocolFailure, type SentEntry, type Wording } from './sentEntry.ts';
import { describeValue, listLines, parseObject } from './texts.ts';
import { readAnyTime } from './times.ts';

const actions = ['create', 'index', 'update', 'delete'] as const;
type Action = (typeof actions)[number];

export type BulkItem = {
  action: Action;
  /** '' where nobody names it. */
  index: string;
  id: string | null;
} & ({ entry: SentEntry } | { refusal: ProtocolFailure });

type BulkOptions = Wording & {
  /** Of the URL; null: each line names its own. */
  index: string | null;
};

export function readBulk(body: Buffer, options: BulkOptions): BulkItem[] {
  const items: BulkItem[] = [];
  const lines = listLines(body);
  for (const line of lines) {
    const place = readAction(line, options, items.length);
    if (place.action === 'delete') {
      items.push({ ...place, refusal: refuse('Entries are never changed: delete is not taken.') });
      continue;
    }
    const document = lines.next();
    if (document.done) throw refuse('The last action has no document: the body may have been cut off.');
    items.push({ ...place, ...readDocument(document.value, place, options) });
  }
  return items;
}

type Place = { action: Action; index: string; id: string | null };

function readAction(line: string, { index }: BulkOptions, position: number): Place {
  const object = parseObject(line);
  const [action, ...others] = object === null ? [] : Object.keys(object);
  const known = actions.find(each => each === action);
  const details = known && object?.[known];
  if (known === undefined || others.length > 0 || !isObject(details))
    throw refuse(`Action ${position} must be an object with one of create and index, such as {"create":{}}.`);
  const { _index, _id } = details;
  const id = typeof _id === 'string' || typeof _id === 'number' ? String(_id) : null;
  return { action: known, index: typeof _index === 'string' ? _index : (index ?? ''), id };
}

function readDocument(line: string, { action, index, id }: Place, wording: Wording) {
  if (action === 'update') return { refusal: refuse('Entries are never changed: update is not taken.') };
  const document = parseObject(line);
  if (document === null) return { refusal: refuse('The document must be a JSON object on one line.') };
  return { entry: makeEntry(document, { index, id }, wording) };
}

function makeEntry(document: JsonObject, { index, id }: Omit<Place, 'action'>, wording: Wording): SentEntry {
  const fields = new Fields(Object.entries(document));
  const time = readAnyTime(fields.read('@timestamp'));
  if (time !== null) fields.take('@timestamp');
  const level = fields.takeLevel(['log.level', 'level'], wording) ?? takeInnerLevel(fields, wording);
  const message = ['message', 'log'].find(
    name => fields.read(name) !== undefined && !isObject(fields.read(name)),
  );
  const service =
    document['service.name'] ?? (isObject(document.service) ? document.service.name : undefined);
  const text = message === undefined ? '' : describeValue(fields.take(message));
  if (id !== null) fields.add(['_id', 'bulk._id'], id);
  return {
    dataset: index === '' ? null : index,
    level: level ?? 'info',
    message: text,
    resource: typeof service === 'string' ? service : '',
    ...(time !== null && { timestamp: time }),
    metadata: fields.toMetadata(),
  };
}

/** `{"log": {"level": "error"}}`, and numbers. */
function takeInnerLevel(fields: Fields, wording: Wording) {
  const log = fields.read('log');
  if (isObject(log)) {
    const { level: word, ...others } = log;
    const level = readLevelSynonym(wording.levels, word);
    if (level === null) return null;
    fields.take('log');
    if (Object.keys(others).length > 0) fields.add(['log'], others);
    return level;
  }
  const level = readLevelNumber(fields.read('level'));
  if (level !== null) fields.take('level');
  return level;
}

function refuse(sentence: string): ProtocolFailure {
  return new ProtocolFailure('bad_request', sentence);
}
