/** Keeps the beginning of a response, cut between characters. */

const bytesMax = 1024; // CONTRACT.md, 10: the first KiB

export function truncateAnswer(text: string): string {
  // The streaming decoder drops a character that the cut splits. PostgreSQL takes no NUL.
  const bytes = Buffer.from(text.replaceAll('\0', '')).subarray(0, bytesMax);
  return new TextDecoder().decode(bytes, { stream: true });
}
