import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { request } from '../api/http.ts';
import { user } from '../api/session.ts';
import { go, place } from '../router.ts';
import { Notice } from './notice.tsx';
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
}

interface Props {
  title: string;
  /** below which the page lies */
  path: string;
  draw(root: HTMLElement, context: DrawContext): Leave | void | Promise<Leave | void>;
}

/** A page that something else than Preact draws into an element, anew for each address. What it throws is shown in its place. */
export function drawnPage({ title, path, draw }: Props): ComponentType {
  return function DrawnPage() {
    const { path: here, query } = place.value;
    const part = useRef<HTMLDivElement>(null);
    const state = useSignal<'loading' | 'shown' | { problem: string }>('loading');
    useEffect(() => {
      state.value = 'loading';
      return visit(part.current!, draw, here.slice(path.length), (next) => void (state.value = next));
    }, [here, query.toString()]);
    const { value } = state;
    return (
      <PageLayout title={title}>
        {value === 'loading' && <Loading what={title} />}
        {typeof value === 'object' && (
          <Notice tone="bad" title="This page failed" alert>
            <p>{value.problem}</p>
          </Notice>
        )}
        <div ref={part} />
      </PageLayout>
    );
  };
}

type Say = (state: 'shown' | { problem: string }) => void;

/** One opening of the page, until it is left; what comes after that changes nothing any more. Returns how to leave. */
function visit(part: HTMLElement, draw: Props['draw'], rest: string, say: Say): Leave {
  // of its own: who is late writes where nobody looks
  const root = document.createElement('div');
  part.replaceChildren(root);
  let left = false;
  let leave: Leave | void;
  const failed = (error: unknown) => {
    console.warn('A page failed:', error);
    if (!left) say({ problem: error instanceof Error ? error.message : String(error) });
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
  Promise.resolve()
    .then(() => draw(root, { rest, query, user: user.peek(), request, toast, go: stay }))
    .then((returned) => {
      leave = returned;
      if (left) end();
      else say('shown');
    })
    .catch(failed);
  return () => {
    left = true;
    end();
    root.remove();
  };
}
