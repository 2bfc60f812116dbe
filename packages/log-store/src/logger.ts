/** What the store tells whoever runs it. A logger of pino fits, and so does the console. */
export type Logger = { info: LogLine; warn: LogLine; error: LogLine };

interface LogLine {
  (sentence: string): void;
  /** Facts beside the sentence; what was thrown is `err`. */
  (facts: object, sentence: string): void;
}
