/** The end of the list: loads more files when scrolled into view, or on a click. */
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/Button.tsx';

const reachPixels = 800; // about one screen ahead

type MoreFilesProps = {
  pages: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
};

export function MoreFiles({ pages }: MoreFilesProps) {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(pages);
  latest.current = pages;
  const { hasNextPage, isFetchingNextPage } = pages;
  // biome-ignore lint/correctness/useExhaustiveDependencies: checks again after each page whether the end is visible
  useEffect(() => {
    if (end.current === null) return;
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting && !latest.current.isFetchingNextPage) void latest.current.fetchNextPage();
      },
      { rootMargin: `${reachPixels}px` },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [hasNextPage, isFetchingNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className="grid justify-items-center pt-2">
      <Button busy={isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Show more files
      </Button>
    </div>
  );
}
