/** The logger that the store writes to. Both pino and the console fit. */
export type Logger = { info: LogLine; warn: LogLine; error: LogLine };

interface LogLine {
  (sentence: string): void;
  /** Facts beside the sentence; what was thrown is `err`. */
  (facts: object, sentence: string): void;
}
