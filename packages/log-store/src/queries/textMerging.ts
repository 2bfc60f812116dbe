/** Merges templates that are plain texts, so that a thread can receive them. */
import { mergeTemplates } from '@tapedeck/log-patterns';

/** `paths`: the metadata paths that the templates name. */
export type MergeTask = { readonly texts: readonly string[]; readonly paths: readonly string[] };
/** Members are indexes of the texts. */
export type MergedTexts = readonly { template: string; members: Uint32Array }[];

export async function mergeTexts({ texts, paths }: MergeTask): Promise<MergedTexts> {
  // One template carries all paths: merging joins them anyway.
  const merged = await mergeTemplates(
    texts.map((template, index) => ({ template, index, ...(index === 0 && { paths }) })),
  );
  return merged.map(({ template, members }) => {
    return { template, members: Uint32Array.from(members, ({ index }) => index) };
  });
}
