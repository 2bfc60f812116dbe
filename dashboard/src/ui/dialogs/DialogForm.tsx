/** A form in a dialog: its fields, the errors that belong to none of them, and the buttons below. */
import { type ReactNode, useId } from 'react';
import { Button } from '../Button.tsx';
import { Form } from '../forms/Form.tsx';
import { Notice } from '../Notice.tsx';
import { RateLimitNotice } from '../RateLimitNotice.tsx';
import { DialogBody, DialogButtons } from './Dialog.tsx';

type DialogFormProps = {
  /** The label of the button that submits. */
  action: string;
  busy?: boolean;
  disabled?: boolean;
  error?: string | null | undefined;
  /** Seconds until the next attempt after too many wrong ones; 0 if there is no wait. */
  waitSeconds?: number;
  /** A button on the left, apart from the others. */
  otherButton?: ReactNode;
  onSubmit: () => void;
  onCancel: () => void;
  children: ReactNode;
};

export function DialogForm(props: DialogFormProps) {
  const { action, busy = false, disabled = false, error, waitSeconds = 0, children } = props;
  const id = useId();
  return (
    <>
      <DialogBody>
        <Form id={id} onSubmit={props.onSubmit}>
          {children}
          {error && <Notice look="error">{error}</Notice>}
          {waitSeconds > 0 && <RateLimitNotice seconds={waitSeconds} />}
        </Form>
      </DialogBody>
      <DialogButtons>
        {props.otherButton}
        <Button onClick={props.onCancel}>Cancel</Button>
        <Button type="submit" form={id} look="primary" busy={busy} disabled={disabled || waitSeconds > 0}>
          {action}
        </Button>
      </DialogButtons>
    </>
  );
}
