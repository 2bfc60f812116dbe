/** A token created on this page, with its tool's dataset and folder. */
export type MadeToken = {
  text: string;
  id: string;
  /** By the service's clock. */
  createdAt: string;
  dataset: string;
  folder: string;
  scopes: readonly string[];
};
