/** A dialog in front of the page. Focus stays inside and returns to where it came from. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import { type KeyboardEventHandler, type ReactNode, useRef, useState } from 'react';
import { Icon } from '../Icon.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';

export type ClosingQuestion = { title: string; action: string; text: string };

type DialogProps = {
  title: string;
  about?: ReactNode;
  open: boolean;
  onClose: () => void;
  /** False if closing by accident would lose something. */
  closesLightly?: boolean;
  /** Asked before Escape or the cross closes something the user cannot get again. */
  closingQuestion?: ClosingQuestion | null;
  /** For pictures and other large content. The height is fixed, so that the buttons keep their place. */
  isLarge?: boolean;
  /** For searching: a phone's keyboard opens at once, so the field is at the top, and results fill the rest. */
  isSearch?: boolean;
  onKeyDown?: KeyboardEventHandler;
  children: ReactNode;
};

export function Dialog(props: DialogProps) {
  const { title, about, open, onClose, closesLightly = true, isLarge = false, isSearch = false } = props;
  const popup = useRef<HTMLDivElement>(null);
  const [asking, setAsking] = useState(false);
  const question = props.closingQuestion ?? null;
  const close = () => {
    setAsking(false);
    onClose();
  };
  const widthStyle = isLarge
    ? 'h-[92dvh] max-h-[92dvh] sm:top-[4dvh] sm:max-w-5xl'
    : `sm:top-[max(2rem,12dvh)] sm:max-h-[80dvh] sm:max-w-130 ${isSearch ? 'max-sm:top-0 max-sm:rounded-none' : 'max-h-[92dvh]'}`;
  return (
    <Base.Root
      open={open}
      onOpenChange={isOpen => !isOpen && (question ? setAsking(true) : close())}
      disablePointerDismissal={!closesLightly || question !== null}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-[oklch(0.15_0.01_60/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          initialFocus={way => findFirstField(popup.current, way === 'touch' && !isSearch)}
          onKeyDown={props.onKeyDown}
          className={`fixed inset-x-0 bottom-0 flex flex-col rounded-t-2xl border border-line bg-panel
            shadow-float transition duration-150 outline-none data-ending-style:translate-y-3
            data-ending-style:opacity-0 data-starting-style:translate-y-3 data-starting-style:opacity-0
            sm:inset-x-4 sm:bottom-auto sm:mx-auto sm:rounded-2xl ${widthStyle}`}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-5 pb-3 sm:px-6">
            <div className="grid min-w-0 gap-1">
              <Base.Title className="text-lg font-semibold tracking-tight wrap-anywhere">{title}</Base.Title>
              {about && (
                <Base.Description className="text-sm wrap-anywhere text-muted">{about}</Base.Description>
              )}
            </div>
            <Base.Close
              aria-label="Close"
              className="-mt-1 -mr-2 grid size-8 shrink-0 place-items-center rounded-lg text-muted hover:bg-ink/6 hover:text-ink"
            >
              <Icon name="cross" />
            </Base.Close>
          </header>
          {props.children}
          {question && (
            <Guard question={question} asking={asking} onStay={() => setAsking(false)} onLeave={close} />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

type GuardProps = { question: ClosingQuestion; asking: boolean; onStay: () => void; onLeave: () => void };

/** Asks before the dialog is closed, also by the browser's back button. */
function Guard({ question, asking, onStay, onLeave }: GuardProps) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: () => true, withResolver: true });
  const stay = () => {
    reset?.();
    onStay();
  };
  const leave = () => {
    onLeave();
    proceed?.();
  };
  return (
    <ConfirmDialog
      title={question.title}
      action={question.action}
      open={asking || status === 'blocked'}
      onClose={stay}
      onConfirm={leave}
    >
      <p>{question.text}</p>
    </ConfirmDialog>
  );
}

/** Skips the cross, because a typed space would press it. On touch, skips fields, which would open the keyboard. */
function findFirstField(popup: HTMLElement | null, isTouch: boolean): HTMLElement | null {
  const field = popup?.querySelector<HTMLElement>('input:enabled, select:enabled, textarea:enabled');
  return (isTouch ? null : field) ?? popup;
}

/** The scrolling part between title and buttons. */
export function DialogBody({ children }: { children: ReactNode }) {
  return (
    <div className="grid min-h-0 grow grid-cols-[minmax(0,1fr)] content-start gap-5 overflow-y-auto px-5 pt-1 pb-6 sm:px-6">
      {children}
    </div>
  );
}

export function DialogButtons({ children }: { children: ReactNode }) {
  return (
    <footer className="flex flex-wrap justify-end gap-2.5 border-t border-line px-5 py-3.5 sm:px-6">
      {children}
    </footer>
  );
}
