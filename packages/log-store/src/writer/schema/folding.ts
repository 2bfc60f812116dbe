/** Folds letter case in SQL exactly as `foldCase` does. The expression is short, because the engine plans it with every query. */
import { foldCase } from '@tapedeck/values/case-folding';

/** Characters that the engine's `lowerUTF8` leaves unchanged, or turns into two. */
const keptByEngine = [
  ...'\u00b5\u0345\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5',
  ...'\u1c80\u1c81\u1c82\u1c83\u1c84\u1c85\u1c86\u1c87\u1c88\u1e9b\u1fbe\u1fd3\u1fe3\ufb05',
];
const dottedCapital = '\u0130';
const longS = '\u017f'; // folds to s first; then it stands in for the dotted capital, to get that past `lowerUTF8`

const before = { from: `${longS}${dottedCapital}`, to: `s${longS}` };
const behind = {
  from: `${longS}${keptByEngine.join('')}`,
  to: `${dottedCapital}${keptByEngine.map(foldCase).join('')}`,
};

/** Pure ASCII takes a faster path. */
export function foldColumn(expression: string): string {
  const lowered = `lowerUTF8(translateUTF8(${expression}, '${before.from}', '${before.to}'))`;
  const folded = `translateUTF8(${lowered}, '${behind.from}', '${behind.to}')`;
  return `if(isValidASCII(${expression}), lower(${expression}), ${folded})`;
}
