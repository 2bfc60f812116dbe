/** State of a dialog that asks before it changes an item. */
import { useLastValue } from './useLastValue.ts';

type Mutation<Input, Result> = {
  mutate: (input: Input, options: { onSuccess: (result: Result) => void }) => void;
  reset: () => void;
  isPending: boolean;
  error: Error | null;
};

type ConfirmationEnds<Result> = { onClose: () => void; onDone: (result: Result) => void };

/** Open while there is an item. Closes when the mutation succeeds, then calls `onDone`. */
export function useConfirmation<Item, Input, Result>(
  item: Item | null,
  { mutate, reset, isPending, error }: Mutation<Input, Result>,
  { onClose, onDone }: ConfirmationEnds<Result>,
) {
  const close = () => {
    reset();
    onClose();
  };
  const onSuccess = (result: Result) => {
    close();
    onDone(result);
  };
  return {
    /** The item, which stays while the dialog fades out. */
    shown: useLastValue(item),
    confirm: (input: Input) => mutate(input, { onSuccess }),
    dialog: { open: item !== null, onClose: close, busy: isPending, error },
  };
}
