import { useLayoutEffect } from 'preact/hooks';
import { lazily, t } from '@tapline/console-kit';
import { Palette } from '../palette/lazy-palette.ts';
import { keyList, opened } from './key-list.ts';
import { singleKeys } from './single-keys.ts';

const KeyHelp = lazily(t`the list of keys`, async () => (await import('./key-help.tsx')).KeyHelp);

/** The keys of every page, and what they open above it. */
export function Keys() {
  useLayoutEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const close = () => void (opened.value = null);
  if (opened.value === 'palette') return <Palette onClose={close} />;
  return opened.value === 'help' ? <KeyHelp onClose={close} /> : null;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const control = event.ctrlKey || event.metaKey;
  // what is typed is typed, and a dialog is left first
  const elsewhere = document.querySelector('dialog[open]') !== null;
  if (elsewhere || (!control && isTyping(event.target))) return;
  const found = keyList.find(
    (key) =>
      key.keys.includes(event.key) &&
      Boolean(key.control) === control &&
      (key.control || key.local || singleKeys.value),
  );
  if (found?.act()) event.preventDefault();
}

const noTexts = new Set(['checkbox', 'radio', 'button', 'submit']);

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !noTexts.has(target.type);
  return (
    target.isContentEditable ||
    /^(?:TEXTAREA|SELECT)$/.test(target.tagName) ||
    Boolean(target.closest('[role="application"]'))
  );
}
