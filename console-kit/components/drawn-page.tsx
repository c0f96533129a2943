import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { request } from '../api/http.ts';
import { user } from '../api/session.ts';
import { guardLeaving } from '../leaving/leaving.ts';
import { go, place } from '../router.ts';
import { Loading, PageLayout } from './page.tsx';
import { toast } from './toasts.tsx';

/** What `draw` may return: called when the page is left. */
type Leave = () => void;

export interface DrawContext {
  /** of the address, after `path`: '' or '/12/edit' */
  rest: string;
  query: URLSearchParams;
  user: typeof user.value;
  request: typeof request;
  toast: typeof toast;
  /** to another page; once this one is left it does nothing */
  go(to: string): void;
  /** until it is left, leaving asks first whenever `typed` says that something would be lost */
  unsaved(typed: () => boolean): void;
}

interface Props {
  title: string;
  /** below which the page lies */
  path: string;
  draw(root: HTMLElement, context: DrawContext): Leave | void | Promise<Leave | void>;
}

/** A page that something else than Preact draws into an element, anew for each address. What it throws is a fault of the page. */
export function drawnPage({ title, path, draw }: Props): ComponentType {
  return function DrawnPage() {
    const { path: here, query } = place.value;
    const part = useRef<HTMLDivElement>(null);
    const state = useSignal<State>('loading');
    useEffect(() => {
      state.value = 'loading';
      return visit(part.current!, draw, here.slice(path.length), (next) => void (state.value = next));
    }, [here, query.toString()]);
    const { value } = state;
    // whoever holds the page shows its faults, those of other pages as well
    if (typeof value === 'object') throw value.fault;
    return (
      <PageLayout title={title}>
        {value === 'loading' && <Loading what={title} />}
        <div ref={part} />
      </PageLayout>
    );
  };
}

type State = 'loading' | 'shown' | { fault: unknown };

/** One opening of the page, until it is left; what comes after that changes nothing any more. Returns how to leave. */
function visit(part: HTMLElement, draw: Props['draw'], rest: string, say: (state: State) => void): Leave {
  // of its own: who is late writes where nobody looks
  const root = document.createElement('div');
  part.replaceChildren(root);
  let left = false;
  let leave: Leave | void;
  const guards: (() => void)[] = [];
  const failed = (fault: unknown) => {
    if (left) console.warn('A page that was left failed:', fault);
    else say({ fault });
  };
  const end = () => {
    try {
      leave?.();
    } catch (error) {
      failed(error);
    }
  };
  const { query } = place.peek();
  const stay = (to: string) => (left ? undefined : go(to));
  const unsaved = (typed: () => boolean) => void (left || guards.push(guardLeaving(typed)));
  Promise.resolve()
    .then(() => draw(root, { rest, query, user: user.peek(), request, toast, go: stay, unsaved }))
    .then((returned) => {
      leave = returned;
      if (left) end();
      else say('shown');
    })
    .catch(failed);
  return () => {
    left = true;
    for (const unguard of guards) unguard();
    end();
    root.remove();
  };
}
