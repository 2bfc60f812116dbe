/** Formats durations and sizes that texts mean as numbers. */
import {
  type AmountUnit,
  amountLimit,
  durationExpression,
  durationUnits,
  sizeExpression,
  sizeUnits,
} from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';

/** Formats the number as text; '' if the text has an unusual spelling. */
export function formatAmount(text: string, unit: AmountUnit, binder: Binder): string {
  if (unit === 'bytes') return formatSize(text, binder);
  const nanoseconds = formatNanoseconds(text, binder);
  const number = unit === 'seconds' ? `${nanoseconds} / 1e9` : nanoseconds;
  return `if(${text} = '' OR empty(${formatGroups(text, durationExpression, binder)}), '', toString(${number}))`;
}

function formatNanoseconds(text: string, binder: Binder): string {
  const groups = formatGroups(text, durationExpression, binder);
  const [hours, minutes, amount] = [1, 2, 3].map(group => `toFloat64OrZero(${groups}[${group}])`);
  const factor = formatFactor(`${groups}[4]`, durationUnits);
  return `floor(${hours} * 3600e9 + ${minutes} * 60e9 + ${amount} * ${factor} + 0.5)`;
}

function formatSize(text: string, binder: Binder): string {
  const groups = formatGroups(text, sizeExpression, binder);
  const factor = formatFactor(`lower(${groups}[2])`, sizeUnits);
  const bytes = `trunc(toFloat64OrZero(${groups}[1]) * ${factor})`;
  return `if(empty(${groups}) OR ${factor} = 0 OR ${bytes} >= ${amountLimit}, '', toString(${bytes}))`;
}

function formatGroups(text: string, expression: string, binder: Binder): string {
  return `extractGroups(${text}, ${binder.bind('String', expression)})`;
}

function formatFactor(unit: string, units: ReadonlyMap<string, number>): string {
  const names = [...units.keys()].map(name => `'${name}'`).join(', ');
  const factors = [...units.values()].map(factor => `toFloat64(${factor})`).join(', ');
  return `transform(${unit}, [${names}], [${factors}], toFloat64(0))`;
}
