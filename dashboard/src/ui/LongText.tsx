/** A text of any length in little room: a long one scrolls, from the keyboard as well. */
import type { ReactNode } from 'react';

type LongTextProps = {
  as: 'dd' | 'pre';
  text: string;
  className: string;
  /** Shown in place of the plain text. */
  children?: ReactNode;
};

const shortLettersMax = 100; // fits in the narrowest column
const shortLinesMax = 6;

export function LongText({ as: Element, text, className, children = text }: LongTextProps) {
  const isLong = text.length > shortLettersMax || text.split('\n').length > shortLinesMax;
  return (
    <Element
      className={`max-h-40 overflow-auto whitespace-pre-wrap wrap-anywhere ${className}`}
      {...(isLong && { tabIndex: 0 })}
    >
      {children}
    </Element>
  );
}
