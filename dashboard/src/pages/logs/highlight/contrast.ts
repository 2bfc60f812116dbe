/** Makes untrusted colours readable on the page's light and dark backgrounds. Keeps their hue. */

type ColourPair = { light: string; dark: string };

const contrastMin = 4.6; // WCAG 2 asks for 4.5; rounding takes a little
/** Luminance of the hardest background to read on: the row of an open entry. */
const grounds = { light: 0.8, dark: 0.045 };
const keptMax = 512; // texts can name 16 million colours

const kept = new Map<number, ColourPair>();

export function makeReadable(colour: number): ColourPair {
  const known = kept.get(colour);
  if (known !== undefined) return known;
  const inks = {
    light: findShade(colour, { towards: 0x000000, ground: grounds.light }),
    dark: findShade(colour, { towards: 0xffffff, ground: grounds.dark }),
  };
  if (kept.size >= keptMax) kept.clear();
  kept.set(colour, inks);
  return inks;
}

/** The wanted colour if it is readable on the background; else black or white. */
export function pickTextColour(ground: number, wanted: number | null): string {
  const luminance = measureLuminance(ground);
  const contrastOf = (ink: number) => measureContrast(luminance, measureLuminance(ink));
  if (wanted !== null && contrastOf(wanted) >= contrastMin) return writeColour(wanted);
  return contrastOf(0x000000) >= contrastOf(0xffffff) ? '#000000' : '#ffffff';
}

export function writeColour(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}

/** Returns the nearest readable shade. */
function findShade(colour: number, { towards, ground }: { towards: number; ground: number }): string {
  for (let share = 0; share < 1; share += 1 / 32) {
    const shade = mix(colour, towards, share);
    const luminance = measureLuminance(shade);
    const isOnItsSide = towards === 0 ? luminance < ground : luminance > ground;
    if (isOnItsSide && measureContrast(luminance, ground) >= contrastMin) return writeColour(shade);
  }
  return writeColour(towards);
}

function mix(one: number, other: number, share: number): number {
  return [16, 8, 0].reduce((sum, shift) => {
    const [from, to] = [(one >> shift) & 0xff, (other >> shift) & 0xff];
    return sum + Math.round(from + (to - from) * share) * 2 ** shift;
  }, 0);
}

/** Measures luminance as WCAG 2 does, from 0 (black) to 1 (white). */
export function measureLuminance(colour: number): number {
  const [red = 0, green = 0, blue = 0] = [16, 8, 0].map(shift => {
    const part = ((colour >> shift) & 0xff) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function measureContrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
