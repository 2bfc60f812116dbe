/** The suggestions of a query box: groups of options, each an edit of the text. */

/** The typed text and the caret. */
export type Place = { text: string; caret: number };

export type Option = {
  key: string;
  label: string;
  /** The option's meaning, or its number of entries. */
  about: string;
  /** Replaces the text from `from` to `to` with `insert`; null: clears all recent searches. */
  edit: { from: number; to: number; insert: string } | null;
  /** True if the edit completes the text, which is then searched. */
  isWhole: boolean;
};

export type Group = { title: string; options: readonly Option[] };
