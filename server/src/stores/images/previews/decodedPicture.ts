/** Takes one picture from a decoder's output. */

const pictureBytesMax = 30_000_000; // a PNG of 1,920 × 1,080 pixels takes at most six million

/** null if the decoder wrote nothing or too much. */
export async function collectPicture(output: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of output) {
    length += chunk.length;
    if (length > pictureBytesMax) return null;
    chunks.push(chunk);
  }
  return length > 0 ? Buffer.concat(chunks) : null;
}
