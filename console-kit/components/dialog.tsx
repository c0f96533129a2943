import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  onClose: () => void;
  /** Escape does this in the place of closing it */
  stays?: (() => void) | undefined;
  children: ComponentChildren;
}

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back. */
export function Dialog({ title, onClose, stays, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // before the next key is pressed: it is meant for the dialog
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () =>
      // once it is gone, since what lies behind an open dialog takes no focus; an effect after painting would not have begun where
      // it is closed at once
      queueMicrotask(() => {
        if (before instanceof HTMLElement && before.isConnected) before.focus();
      });
  }, []);
  const cancel = (event: Event) => {
    if (!stays) return onClose();
    event.preventDefault();
    stays();
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose} onCancel={cancel}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
