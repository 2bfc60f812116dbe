/** What a box offers while somebody types: options in groups, each an edit of the text. */

/** What is typed, and where. */
export type Place = { text: string; caret: number };

export type Option = {
  key: string;
  label: string;
  /** What it means, or how many entries there are. */
  about: string;
  /** What stands between `from` and `to` becomes `insert`; null: all searches of before are forgotten. */
  edit: { from: number; to: number; insert: string } | null;
  /** The text is whole by then, and is searched for. */
  isWhole: boolean;
};

export type Group = { title: string; options: readonly Option[] };
