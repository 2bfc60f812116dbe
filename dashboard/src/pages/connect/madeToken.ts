/** A token that was made on the page, and what it was made for. */
export type MadeToken = {
  text: string;
  id: string;
  /** Measured by the service's clock. */
  createdAt: string;
  dataset: string;
  folder: string;
  scopes: readonly string[];
};
