/** The frame of the pages before sign-in: the cassette and a form. */
import type { ReactNode } from 'react';
import { Cassette } from '../../ui/Cassette.tsx';
import { Wordmark } from '../../ui/Logo.tsx';

type AuthLayoutProps = {
  title: string;
  about: ReactNode;
  label: string;
  turning: boolean;
  children?: ReactNode;
};

export function AuthLayout({ title, about, label, turning, children }: AuthLayoutProps) {
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] px-6 pt-5 pb-10 sm:px-10">
      <title>{`${title} · Tapedeck`}</title>
      <header>
        <Wordmark />
      </header>
      <main className="mx-auto grid w-full max-w-[58rem] items-center gap-x-20 gap-y-8 self-center md:grid-cols-[1fr_22rem]">
        <Cassette label={label} turning={turning} className="w-full max-w-48 md:max-w-none" />
        <div className="grid gap-6">
          <header className="grid gap-1.5">
            <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
            <p className="text-muted">{about}</p>
          </header>
          {children}
        </div>
      </main>
    </div>
  );
}
