/** What stands where no file is. */
import { Empty } from '../../parts/Empty.tsx';

export function NoFiles({ mayUpload, isFiltered }: { mayUpload: boolean; isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="Nothing found">No file matches. Try another folder, fewer words, or any type.</Empty>
    );
  }
  return (
    <Empty title="No files yet">
      {mayUpload
        ? 'Drop images, videos or sounds here, or let a program upload them with a media token.'
        : 'Programs upload them with a media token; members can drop them here.'}
    </Empty>
  );
}
