import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Each says whether something is typed that would be lost. */
const guards = new Set<() => boolean>();

/** What goes on if somebody who is asked says so. */
export const askedToLeave = signal<(() => void) | null>(null);

let agreed = false;

export const somethingTyped = (): boolean => !agreed && [...guards].some((typed) => typed());

/** Goes on at once where nothing would be lost, else asks first. */
export function beforeLeaving(goOn: () => void): void {
  if (somethingTyped()) askedToLeave.value = goOn;
  else goOn();
}

/** What somebody agreed to does not ask a second time. */
export function leaveAnyway(goOn: () => void): void {
  agreed = true;
  goOn();
  // going back in the history comes to pass a moment later
  setTimeout(() => void (agreed = false), 500);
}

/** From now on leaving asks whenever `typed` says that something would be lost. Returns how to end that. */
export function guardLeaving(typed: () => boolean): () => void {
  const guard = () => {
    try {
      return typed();
    } catch (error) {
      // nobody is kept on a page by its fault
      console.warn('What would be lost on this page could not be told:', error);
      return false;
    }
  };
  const warn = (event: BeforeUnloadEvent) => somethingTyped() && event.preventDefault();
  guards.add(guard);
  addEventListener('beforeunload', warn);
  return () => {
    guards.delete(guard);
    removeEventListener('beforeunload', warn);
  };
}

/** While the part is shown, leaving it asks whenever `typed` says that something would be lost. */
export function useUnsaved(typed: () => boolean): void {
  const latest = useRef(typed);
  latest.current = typed;
  useEffect(() => guardLeaving(() => latest.current()), []);
}
