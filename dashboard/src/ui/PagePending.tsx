/** Stands in for a page while it loads. Screen readers find its main part and a heading from the first moment. */
import { type AnyRouter, useRouterState } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { PageSpinner } from './Spinner.tsx';

const heading = <h1 className="sr-only">Loading the page</h1>;

/** Within the main part of the frame, which is already there. */
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

/** Around the router, which shows nothing at all until it knows the first page or that this takes a while. */
export function FirstMoment({ children }: { children?: ReactNode }): ReactElement {
  // Its own router's type would depend on this.
  const isEmpty = useRouterState<AnyRouter, boolean>({ select: ({ matches }) => matches.length === 0 });
  return (
    <>
      {isEmpty && <main>{heading}</main>}
      {children}
    </>
  );
}
