/** Makes a picture of the drawing that goes with a notification. */
import { drawChart, type ToldEvent } from '@tapedeck/notifications';
import sharp from 'sharp';

/** A PNG; null: there is nothing to draw. */
export async function paintChart(event: ToldEvent): Promise<Uint8Array | null> {
  const svg = drawChart(event);
  return svg === null ? null : sharp(Buffer.from(svg)).png({ palette: true }).toBuffer();
}
