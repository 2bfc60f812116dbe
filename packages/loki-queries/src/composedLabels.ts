/** Labels and lines that stages replace: `label_format` and `line_format` compose them of labels, `drop` removes labels. */
import type { WindowField } from '@tapedeck/log-entries';
import type { ComposedField, ComposedPiece } from '@tapedeck/log-query-language';
import { compileTemplate, type LabelFormat } from '@tapedeck/logql';
import { aliases, streamLabels, unknownService } from './lineLabels.ts';

/** Lists the fields of a label by precedence. null: the store does not know them. */
type FindLabel = (label: string) => Promise<readonly WindowField[] | null>;

/** With so few values of at most 64 KiB, a template never writes more characters than it may. */
const valuesMax = 12;
const textCharactersMax = 10_000;
const fieldsMax = 60; // each makes the statement longer

/** Returns what the template writes; null if a thread must run it. */
export async function composeTemplate(template: string, find: FindLabel): Promise<ComposedField | null> {
  const { pieces } = compileTemplate(template, 'line');
  if (pieces === null) return null;
  const composed: ComposedPiece[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'text') composed.push(piece);
    else {
      const fields = await find(piece.name);
      if (fields === null) return null;
      composed.push(...composeValue(fields));
    }
    if (!isShort(composed)) return null;
  }
  return { kind: 'composed', pieces: composed };
}

/** Another name of the service has a value without a resource, too. */
export function composeSplit(fields: readonly WindowField[]): readonly WindowField[] {
  const isAlias = fields.length > 1 && fields.some(({ kind }) => kind === 'resource');
  return isAlias ? [{ kind: 'composed', pieces: composeValue(fields) }] : fields;
}

function composeValue(fields: readonly WindowField[]): readonly ComposedPiece[] {
  const [first] = fields;
  if (first?.kind === 'composed') return first.pieces; // every line has it
  const isService = fields.some(({ kind }) => kind === 'resource');
  return [{ kind: 'value', fields, otherwise: isService ? unknownService : '' }];
}

type Size = {
  /** The values and characters that a line gets at most. */
  values: number;
  characters: number;
  /** The fields that the store formats, also those that never count on the same line. */
  fields: number;
};

function isShort(pieces: readonly ComposedPiece[]): boolean {
  const { values, characters, fields } = measure(pieces);
  return values <= valuesMax && characters <= textCharactersMax && fields <= fieldsMax;
}

function measure(pieces: readonly ComposedPiece[]): Size {
  const size: Size = { values: 0, characters: 0, fields: 0 };
  for (const piece of pieces) {
    if (piece.kind === 'text') size.characters += piece.text.length;
    else {
      const each = piece.fields.map(field =>
        field.kind === 'composed' ? measure(field.pieces) : { values: 1, characters: 0, fields: 1 },
      );
      size.values += Math.max(0, ...each.map(({ values }) => values));
      size.characters += Math.max(piece.otherwise.length, ...each.map(({ characters }) => characters));
      size.fields += each.reduce((sum, { fields }) => sum + fields, 0);
    }
  }
  return size;
}

type Changes = ReadonlyMap<string, readonly WindowField[]>;

/** Whether the planner follows changes of the label. The others have several names, or take part in names of other labels. */
export function canChange(label: string): boolean {
  return !streamLabels.some(known => known === label) && !aliases.has(label) && !label.startsWith('__');
}

/** Returns the labels that the stage changes; null if a thread must run it. */
export async function planLabelFormats(
  formats: readonly LabelFormat[],
  find: FindLabel,
): Promise<Changes | null> {
  const changes = new Map<string, readonly WindowField[]>();
  const findNow: FindLabel = async label => changes.get(label) ?? (await find(label));
  let before: Changes | null = null; // the labels as they are before the stage's first template
  for (const { name, from } of formats) {
    if (!canChange(name)) return null;
    if (from.kind === 'label') {
      if (!canChange(from.text)) return null;
      const [source, target] = [await findNow(from.text), await findNow(name)];
      if (source === null || target === null) return null;
      changes.set(name, endAtComposed([...source, ...target])); // without a source, the label stays as it is
      changes.set(from.text, []);
      continue;
    }
    before ??= new Map(changes);
    const known: Changes = before;
    const composed = await composeTemplate(from.text, async label => known.get(label) ?? (await find(label)));
    if (composed === null) return null;
    changes.set(name, [composed]);
  }
  return changes;
}

/** Every line has a composed label, so what follows it never counts. */
function endAtComposed(fields: readonly WindowField[]): readonly WindowField[] {
  const last = fields.findIndex(({ kind }) => kind === 'composed');
  return last < 0 ? fields : fields.slice(0, last + 1);
}
