/** Formats durations and sizes that texts mean as numbers. */
import {
  type AmountUnit,
  amountLimit,
  durationExpression,
  durationUnits,
  singleDurationExpression,
  sizeExpression,
  sizeUnits,
} from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';

/** Formats the number as text; '' if the text has an unusual spelling. The lambda names the text, which makes the statement shorter. */
export function formatAmount(text: string, unit: AmountUnit, binder: Binder): string {
  const number = unit === 'bytes' ? formatSize(binder) : formatDuration(unit === 'seconds', binder);
  return `arrayMap(amount -> ${number}, [${text}])[1]`;
}

const digits = "toFloat64OrZero(extract(amount, '^[0-9.]+'))";
const unitName = "extract(amount, '[^0-9. ]*$')";

/** Most durations have one unit, and taking them apart by groups takes ten times as long. */
function formatDuration(inSeconds: boolean, binder: Binder): string {
  const groups = `extractGroups(amount, ${binder.bind('String', durationExpression)})`;
  const [hours, minutes, rest] = [1, 2, 3].map(group => `toFloat64OrZero(${groups}[${group}])`);
  const single = `${digits} * ${formatFactor(unitName, durationUnits)}`;
  const several = `${hours} * 3600e9 + ${minutes} * 60e9 + ${rest} * ${formatFactor(`${groups}[4]`, durationUnits)}`;
  const format = (nanoseconds: string) => {
    const rounded = `floor(${nanoseconds} + 0.5)`;
    return `toString(${inSeconds ? formatSeconds(rounded) : rounded})`;
  };
  const isSingle = `match(amount, ${binder.bind('String', singleDurationExpression)})`;
  return `if(${isSingle}, ${format(single)}, if(amount = '' OR empty(${groups}), '', ${format(several)}))`;
}

/** Rounds twice, as LogQL does. */
function formatSeconds(nanoseconds: string): string {
  return `arrayMap(ns -> floor(ns / 1e9) + (ns - floor(ns / 1e9) * 1e9) / 1e9, [${nanoseconds}])[1]`;
}

function formatSize(binder: Binder): string {
  const factor = formatFactor(`lower(${unitName})`, sizeUnits);
  const bytes = `trunc(${digits} * ${factor})`;
  const isSize = `match(amount, ${binder.bind('String', sizeExpression)}) AND ${factor} > 0`;
  return `if(${isSize} AND ${bytes} < ${amountLimit}, toString(${bytes}), '')`;
}

function formatFactor(unit: string, units: ReadonlyMap<string, number>): string {
  const names = [...units.keys()].map(name => `'${name}'`).join(', ');
  const factors = [...units.values()].map(factor => `toFloat64(${factor})`).join(', ');
  return `transform(${unit}, [${names}], [${factors}], toFloat64(0))`;
}
