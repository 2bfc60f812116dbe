/** Formats access to values that parsers of LogQL find in bodies. */
import type { CaptureField, ExtractedField } from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';
import { formatAmount } from './amounts.ts';
import { formatMatch } from './exactMatching.ts';
import { formatMember } from './members.ts';
import { formatPair } from './pairs.ts';

/** Formats the value, `''` if it is absent, and whether it is present. */
export function formatExtracted(field: ExtractedField, binder: Binder): { value: string; isPresent: string } {
  switch (field.kind) {
    case 'member':
      return formatMember(field.key, binder);
    case 'pair':
      return formatPair(field.key, binder);
    case 'capture':
      return formatCapture(field, binder);
    case 'amount': {
      const { value, isPresent } = formatExtracted(field.field, binder);
      return { value: formatAmount(value, field.unit, binder), isPresent };
    }
  }
}

function formatCapture({ expression, group }: CaptureField, binder: Binder) {
  const bound = binder.bind('String', `(?-s)${expression}`);
  return {
    value: `regexpExtract(body, ${bound}, ${group})`,
    isPresent: formatMatch('body', expression, binder),
  };
}
