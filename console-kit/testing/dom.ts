import { Window } from 'happy-dom';

/** What the kit looks for in a browser as soon as it is imported; before the kit, therefore. */
export const dom = new Window({ url: 'http://tapline.test/' });

const given = ['document', 'location', 'history', 'addEventListener', 'removeEventListener', 'scrollTo'] as const;
for (const name of given) {
  const found = dom[name] as unknown;
  const value = typeof found === 'function' ? (found as (...given: never[]) => unknown).bind(dom) : found;
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
for (const name of ['Element', 'HTMLElement', 'HTMLInputElement', 'Node', 'MouseEvent'] as const)
  Object.defineProperty(globalThis, name, { value: dom[name], configurable: true, writable: true });
