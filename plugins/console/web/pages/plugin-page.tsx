import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request } from '../api/http.ts';
import type { NavigationEntry } from '../api/navigation.ts';
import { user } from '../api/session.ts';
import { Notice } from '../components/notice.tsx';
import { Loading, PageLayout } from '../components/page.tsx';
import { toast } from '../components/toasts.tsx';
import { go, place } from '../router.ts';

/** What the module's `show` may return: called when the page is left. */
type Leave = () => void;
type Show = (root: HTMLElement, context: object) => Leave | void | Promise<Leave | void>;
type State = 'loading' | 'shown' | { problem: string };

/** A page whose code a plugin brings, loaded when it is opened. Whatever goes wrong in it stays in it. */
export function PluginPage({ entry }: { entry: NavigationEntry }) {
  const { path, query } = place.value;
  const part = useRef<HTMLDivElement>(null);
  const state = useSignal<State>('loading');
  const { module = '', label, plugin } = entry;
  useEffect(() => {
    state.value = 'loading';
    return visit(entry, part.current!, (next) => void (state.value = next));
  }, [module, path, query.toString()]);
  const { value } = state;
  return (
    <PageLayout title={label}>
      {value === 'loading' && <Loading what={label} />}
      {typeof value === 'object' && (
        <Notice tone="bad" title={`This page of the plugin ${plugin} failed`} alert>
          <p>{value.problem}</p>
        </Notice>
      )}
      <div ref={part} />
    </PageLayout>
  );
}

/** One opening of the page, until it is left; what comes after that changes nothing any more. Returns how to leave. */
function visit({ module = '', path, plugin }: NavigationEntry, part: HTMLElement, say: (state: State) => void): Leave {
  // of its own: who is late writes where nobody looks
  const root = document.createElement('div');
  part.replaceChildren(root);
  const { path: here, query } = place.peek();
  let left = false;
  const stay = (to: string) => (left ? undefined : go(to));
  const given = { rest: here.slice(path.length), query, user: user.peek(), request, go: stay, toast };
  const failed = (error: unknown) => {
    console.warn(`The page of plugin ${plugin} failed:`, error);
    if (!left) say({ problem: error instanceof Error ? error.message : String(error) });
  };
  let leave: Leave | void;
  const end = () => {
    try {
      leave?.();
    } catch (error) {
      failed(error);
    }
  };
  load(module)
    .then((show) => (left ? undefined : show(root, given)))
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

/** Only ever code that the service itself serves. */
async function load(module: string): Promise<Show> {
  const { origin, href } = new URL(module, location.origin);
  if (origin !== location.origin) throw new Error(`${module} is not of this service`);
  const { show } = await import(/* @vite-ignore */ href);
  if (typeof show !== 'function') throw new Error('Its module exports no function show.');
  return show;
}
