/** Writes texts with or without terminal colours. */
import { type Colour, colourNames, readColours, type Style } from '@tapedeck/values/colour-codes';

/** Styles our own text. */
type Paint = (text: string, style: Partial<Style>) => string;

const names: readonly Colour[] = colourNames;

export function paint(text: string, style: Partial<Style>): string {
  const parameters = listParameters(style);
  return parameters.length === 0 || text === '' ? text : `\u001b[${parameters.join(';')}m${text}\u001b[0m`;
}

export const paintNothing: Paint = text => text;

/** Styles text from an entry by its colour codes. Removes all other control sequences. */
export function paintForeign(text: string, paintOwn: Paint): string {
  return readColours(text)
    .map(span =>
      cleanText(span.text)
        .split('\n')
        .map(line => paintOwn(line, span.style))
        .join('\n'),
    )
    .join('');
}

/** Characters that change the writing direction could make a line read differently. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g;

/** Keeps line ends and tabs, and shows any other control character as a symbol. */
export function cleanText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '\u{fffd}')
    .replaceAll(directions, '\u{fffd}');
}

function listParameters(style: Partial<Style>): number[] {
  const { colour, background, isBold, isDim, isItalic, isUnderlined, isStruck } = style;
  const flags = [isBold && 1, isDim && 2, isItalic && 3, isUnderlined && 4, isStruck && 9];
  return [
    ...flags.filter(flag => typeof flag === 'number'),
    ...(colour ? nameColour(colour, 30) : []),
    ...(background ? nameColour(background, 40) : []),
  ];
}

/** The bright colours are sixty higher. */
function nameColour(colour: Colour, first: number): number[] {
  if (colour.startsWith('#')) {
    const bytes = [1, 3, 5].map(start => Number.parseInt(colour.slice(start, start + 2), 16));
    return [first + 8, 2, ...bytes];
  }
  const index = names.indexOf(colour);
  return [index < 8 ? first + index : first + 60 + index - 8];
}
