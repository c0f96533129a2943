import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Language } from './language.ts';
import type { bracketsAt, painted } from './paint/paint.ts';

interface Paint {
  painted: typeof painted;
  bracketsAt: typeof bracketsAt;
}

/** Longer texts stay as they are: a page must not stop while somebody types. */
const longest = 30_000;

/** The text in colours, with the brackets at the caret; null until the code for it has come, and where it stays plain. */
export function usePaint(value: string, language: Language, caret: number | null) {
  const paint = useSignal<Paint | null>(null);
  useEffect(
    () =>
      void import('./paint/paint.ts').then(
        (found) => void (paint.value = found),
        // without colours it can be edited as well
        () => undefined,
      ),
    [],
  );
  const found = value.length > longest ? null : paint.value;
  const pieces = useMemo(() => found?.painted(value, language) ?? null, [found, value, language]);
  if (!found || !pieces) return null;
  return { pieces, brackets: caret === null ? null : found.bracketsAt(pieces, caret) };
}
