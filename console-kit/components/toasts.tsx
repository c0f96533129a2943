import { t } from '../texts/t.ts';
import { signal } from '@preact/signals';

interface Toast {
  id: number;
  tone: 'good' | 'bad' | 'info';
  text: string;
  undo?: (() => Promise<unknown>) | undefined;
}

const toasts = signal<Toast[]>([]);
const shownMs = 8000;
/** What can be taken back stays until somebody has had time to read it and to get there. */
const undoMs = 30_000;
let next = 0;

/** @param undo takes back what the text tells of, and says itself what came of that */
export function toast(text: string, tone: Toast['tone'] = 'info', undo?: () => Promise<unknown>): void {
  const id = ++next;
  toasts.value = [...toasts.value.slice(-3), { id, tone, text, undo }];
  setTimeout(() => dismiss(id), undo ? undoMs : shownMs);
}

const dismiss = (id: number) => void (toasts.value = toasts.value.filter((shown) => shown.id !== id));

function takeBack({ id, undo }: Toast): void {
  dismiss(id);
  void undo?.();
}

/** The region is there from the start: what is put into it is read out. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((shown) => (
        <div key={shown.id} class={`toast ${shown.tone}`}>
          <span>{shown.text}</span>
          {shown.undo && (
            <button type="button" onClick={() => takeBack(shown)} aria-label={t`Undo: ${shown.text}`}>{t`Undo`}</button>
          )}
          <button
            type="button"
            class="icon-button"
            onClick={() => dismiss(shown.id)}
            aria-label={t`Dismiss: ${shown.text}`}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
