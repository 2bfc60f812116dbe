/** Evaluates queries on single files. */
import { foldCase } from '@tapedeck/values/case-folding';
import { compileComparison, compileTextValue } from './evaluation.ts';
import type { FileField, FileFieldName } from './fields.ts';
import { findJsonNumber } from './jsonNumbers.ts';
import { holdsParts } from './orderedParts.ts';
import type { FileQuery, FileTerm } from './tree.ts';

/** The queried parts of a file. Absent texts are `''`; numbers are written as in JSON. */
export type QueriedFile = Readonly<Record<FileFieldName, string>> & {
  /** Values by dotted path. A path has several if the metadata spells it twice, as `{"a.b": 1, "a": {"b": 2}}` does. */
  readonly metadata: ReadonlyMap<string, readonly string[]>;
};

type FileMatcher = (file: QueriedFile) => boolean;

/** Computes everything that does not depend on a file only once. */
export function compileFileQuery(query: FileQuery): FileMatcher {
  switch (query.kind) {
    case 'and': {
      const predicates = query.trees.map(compileFileQuery);
      return file => predicates.every(matches => matches(file));
    }
    case 'or': {
      const predicates = query.trees.map(compileFileQuery);
      return file => predicates.some(matches => matches(file));
    }
    case 'not': {
      const matches = compileFileQuery(query.tree);
      return file => !matches(file);
    }
    default:
      return compileTerm(query);
  }
}

function compileTerm(term: FileTerm): FileMatcher {
  switch (term.kind) {
    case 'everything':
      return () => true;
    case 'text': {
      const folded = foldCase(term.text);
      return file =>
        listTexts(file).some(text => foldCase(text).includes(folded)) ||
        file.id === term.text ||
        file.key === term.text;
    }
    case 'textParts': {
      const parts = term.parts.map(foldCase);
      return file => listTexts(file).some(text => holdsParts(foldCase(text), parts));
    }
    case 'field': {
      const predicates = term.values.map(value => compileTextValue(value, term.field.kind === 'metadata'));
      return file => readField(file, term.field).some(text => predicates.some(holds => holds(text)));
    }
    case 'compare': {
      const holds = compileComparison(term.operator, term.number);
      return file => readField(file, term.field).some(text => holds(findJsonNumber(text)));
    }
  }
}

/** Lists the texts that a search without a field looks at. */
function listTexts({ name, path, metadata }: QueriedFile): string[] {
  return [name, path, ...[...metadata.values()].flat()];
}

/** Returns no values if a path is not in the metadata. */
function readField(file: QueriedFile, field: FileField): readonly string[] {
  return field.kind === 'metadata' ? (file.metadata.get(field.path) ?? []) : [file[field.kind]];
}
