/** Replaces a page while it loads. Screen readers find a main part and a heading from the start. */
import { type AnyRouter, useRouterState } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { PageSpinner } from './Spinner.tsx';

const heading = <h1 className="sr-only">Loading the page</h1>;

/** For inside the frame, which has the main part. */
export function PagePending() {
  return (
    <>
      {heading}
      <PageSpinner />
    </>
  );
}

/** Shown before there is a frame. */
export function FramePending() {
  return (
    <main>
      <PagePending />
    </main>
  );
}

/** Wraps the router, which renders nothing until the first page is ready or slow. */
export function FirstMoment({ children }: { children?: ReactNode }): ReactElement {
  // Typed as any router, because this router's type depends on this component.
  const isEmpty = useRouterState<AnyRouter, boolean>({ select: ({ matches }) => matches.length === 0 });
  return (
    <>
      {isEmpty && <main>{heading}</main>}
      {children}
    </>
  );
}
