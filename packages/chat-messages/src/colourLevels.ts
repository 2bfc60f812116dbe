/** Derives levels from the colours of messages. */
import type { LogLevel } from '@tapedeck/log-entries';

const hues = { orangeFrom: 15, yellowTo: 70, redFrom: 345 }; // degrees on the colour wheel, as people name the colours
const saturationMin = 0.3; // greys and pastels have no meaning
const brightnessMin = 0.25; // neither do colours close to black

/** Crimson, which two game frameworks use for messages without a colour, so it does not mean an error. */
const silentColours: ReadonlySet<number> = new Set([14423100]);

/** Red means `error`, orange and yellow mean `warn`. */
export function readColourLevel(value: unknown): LogLevel {
  const colour = readColour(value);
  if (colour === null || silentColours.has(colour)) return 'info';
  const [red, green, blue] = [(colour >> 16) & 0xff, (colour >> 8) & 0xff, colour & 0xff];
  const brightest = Math.max(red, green, blue);
  const spread = brightest - Math.min(red, green, blue);
  if (brightest < brightnessMin * 255 || spread < saturationMin * brightest) return 'info';
  const hue = measureHue({ red, green, blue }, spread);
  if (hue >= hues.redFrom || hue < hues.orangeFrom) return 'error';
  return hue <= hues.yellowTo ? 'warn' : 'info';
}

function measureHue(
  { red, green, blue }: { red: number; green: number; blue: number },
  spread: number,
): number {
  if (red >= green && red >= blue) return (60 * ((green - blue) / spread) + 360) % 360;
  if (green >= blue) return 60 * ((blue - red) / spread) + 120;
  return 60 * ((red - green) / spread) + 240;
}

/** A number, or as text `16711680`, `#ff0000` or `0xff0000`. */
function readColour(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value & 0xffffff : null;
  if (typeof value !== 'string') return null;
  const hexadecimal = /^(?:#|0x)([0-9a-f]{6})$/i.exec(value.trim())?.[1];
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  return /^\d{1,8}$/.test(value.trim()) ? Number(value) & 0xffffff : null;
}
