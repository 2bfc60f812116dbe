/** The logger that the store writes to. Both pino and the console fit. */
export type Logger = { info: LogLine; warn: LogLine; error: LogLine };

interface LogLine {
  (sentence: string): void;
  /** Adds facts to the sentence; a thrown error goes in `err`. */
  (facts: object, sentence: string): void;
}
