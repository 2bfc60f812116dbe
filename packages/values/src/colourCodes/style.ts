/** The style of a part of a text. Colours are a terminal's named colours or exact ones. */

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const brightNames = [
  ...(['brightBlack', 'brightRed', 'brightGreen', 'brightYellow'] as const),
  ...(['brightBlue', 'brightMagenta', 'brightCyan', 'brightWhite'] as const),
] as const;

/** In the order of their numbers. */
export const colourNames = [...names, ...brightNames] as const;
type ColourName = (typeof colourNames)[number];
export type Colour = ColourName | `#${string}`;

export type Style = {
  /** null: the default colour. */
  colour: Colour | null;
  background: Colour | null;
  isBold: boolean;
  isDim: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
  isStruck: boolean;
};

export const plainStyle: Style = {
  colour: null,
  background: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
};
