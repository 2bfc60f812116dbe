/** Renders a notification's chart as an image. */
import { drawChart, type ToldEvent } from '@tapedeck/notifications';
import sharp from 'sharp';

/** A PNG; null: there is nothing to draw. */
export async function paintChart(event: ToldEvent): Promise<Uint8Array | null> {
  const svg = drawChart(event);
  return svg === null ? null : sharp(Buffer.from(svg)).png({ palette: true }).toBuffer();
}
