/** Merges templates that are given as texts, so that they can be sent to a thread. */
import { mergeTemplates } from '@tapedeck/log-patterns';

/** `paths`: of the metadata that the templates name. */
export type MergeTask = { readonly texts: readonly string[]; readonly paths: readonly string[] };
/** Members are indexes of the texts. */
export type MergedTexts = readonly { template: string; members: Uint32Array }[];

export async function mergeTexts({ texts, paths }: MergeTask): Promise<MergedTexts> {
  // One with all paths is enough: they are taken together.
  const merged = await mergeTemplates(
    texts.map((template, index) => ({ template, index, ...(index === 0 && { paths }) })),
  );
  return merged.map(({ template, members }) => {
    return { template, members: Uint32Array.from(members, ({ index }) => index) };
  });
}
