/** The `Date` of answers. */

let writtenSecond = 0;
let written = '';

/** Made once a second. */
export function currentHttpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== writtenSecond) {
    writtenSecond = second;
    written = new Date(second * 1000).toUTCString();
  }
  return written;
}
