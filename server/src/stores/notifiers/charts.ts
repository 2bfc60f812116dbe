/** Renders a notification's chart as an image. */
import { drawChart, type ToldEvent } from '@tapedeck/notifications';
import { loadSharp } from '../sharp.ts';

/** Returns a PNG, or null if there is nothing to draw. */
export async function paintChart(event: ToldEvent): Promise<Uint8Array | null> {
  const svg = drawChart(event);
  if (svg === null) return null;
  const sharp = await loadSharp();
  return sharp(Buffer.from(svg)).png({ palette: true }).toBuffer();
}
